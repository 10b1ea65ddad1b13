"""Episodes that are really played, as an EpisodeSource: one reset and H steps each, seeded by the key."""

import itertools
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.families.bandit_rl.programs.kept_call import KeptCall
from stackel_bench.families.bandit_rl.programs.log import Ends, Rows, StepLog
from stackel_bench.families.bandit_rl.programs.world import MakeEnv, Rules, World
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.simulation.recording import Recorder
from stackel_bench.simulation.tally import Tally

CHUNK = 256  # episodes that share a random stream
SEEDS = 2**31  # of reset

Choose = Callable[[np.random.Generator], Iterator[Rows]]  # the rows of each episode of a chunk


class _Drawn(Sequence[int]):
    """A row of a stochastic policy for an episode whose number is u: the action by inverting its law."""

    def __init__(self, laws: list[list[float]], u: float, first_action: int) -> None:
        self._laws, self._u, self._first = laws, u, first_action

    def __getitem__(self, state: Any) -> Any:
        return bisect_right(self._laws[state], self._u) + self._first

    def __len__(self) -> int:
        return len(self._laws)


class PlayedEpisodes:
    """One leader action's environment as a source of episodes.

    Every call draws one seed from rng; episode i of the call depends on that seed and on i alone, so results
    do not depend on where a recorder cuts.
    """

    def __init__(self, make_env: MakeEnv, leader_action: int, rules: Rules, recorder: Recorder) -> None:
        self._world = World(make_env, leader_action, rules)
        self._recorder = recorder
        self.shape = self._world.shape
        self.initial_state = self._world.initial_state()

    def close(self) -> None:
        """Close the environment."""
        self._world.close()

    def play(self, policy: np.ndarray, episodes: int, rng: np.random.Generator) -> Tally:
        """Episodes under a Markov policy [H,S,B] (rows sum to 1)."""
        return self._play(self._choose(policy), self.shape[0], episodes, rng).tally

    def returns(self, policy: np.ndarray, episodes: int, rng: np.random.Generator) -> np.ndarray:
        """What the follower and the leader earn in each of some episodes of a policy: [2, episodes]."""
        log, tally, earned = self._log(), Tally.empty(self.shape), []
        played = self._episodes(int(rng.integers(2**63)), self._choose(policy), 0)
        for first in range(0, episodes, log.room):
            log.play(played, min(log.room, episodes - first), lambda: False)
            earned.append(log.count_into(tally))
        return np.concatenate(earned, axis=1)

    def _choose(self, policy: np.ndarray) -> Choose:
        table = checks.array("policy", policy, shape=self.shape)
        checks.distributions("policy", table)
        first = self._world.first_action
        if (table.max(axis=2) == 1).all():
            return self._always(table.argmax(axis=2))
        laws = np.cumsum(table, axis=2)[:, :, :-1].tolist()  # whatever is left is the last action

        def choose(rng: np.random.Generator) -> Iterator[Rows]:
            _, numbers = self._numbers(rng)
            return ([_Drawn(law, x, first) for law, x in zip(laws, u, strict=True)] for u in numbers.tolist())

        return choose

    def _always(self, actions: np.ndarray) -> Choose:
        rows: Rows = (actions + self._world.first_action).tolist()
        return lambda rng: itertools.repeat(rows)

    def _numbers(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """For each episode of a chunk a uniform number, and one for each of its steps."""
        return rng.random(CHUNK), rng.random((CHUNK, self.shape[0]))

    def play_mixture(self, mixture: PolicyMixture, episodes: int, rng: np.random.Generator) -> Tally:
        """Episodes that each draw a policy of the mixture by weight."""
        _, states, actions = self.shape
        first = self._world.first_action
        tables: list[Any] = (mixture.actions.astype(int) + first).tolist()
        lengths, shares = mixture.lengths.tolist(), np.cumsum(mixture.weights)
        constant = [[first + action] * states for action in range(actions)]

        def choose(rng: np.random.Generator) -> Iterator[Rows]:
            which, numbers = self._numbers(rng)
            policies = np.searchsorted(shares, which * int(shares[-1]), side="right").tolist()
            for k, drawn in zip(policies, (numbers * actions).astype(int).tolist(), strict=True):
                length = lengths[k]
                yield tables[k][:length] + [constant[action] for action in drawn[length:]]

        return self._play(choose, self.shape[0], episodes, rng).tally

    def play_until_doubled(
        self,
        actions: np.ndarray,
        tally: Tally,
        limit: int,
        rng: np.random.Generator,
        *,
        layers: int,
        first_batch: int = 1,
        exact: bool = False,
    ) -> int:
        """As EpisodeSource says; an episode ends after `layers` steps."""
        chosen = actions[:layers].astype(np.intp)
        visits = tally.visits()[:layers]
        least = np.maximum(1, np.take_along_axis(visits, chosen[..., None], axis=2)[..., 0])

        def next_look(played: int) -> int:
            look = first_batch
            while look <= played:
                look *= 2
            return played + 1 if exact else look

        def doubled(new: Tally) -> bool:
            return bool((new.counts.sum(axis=(2, 3)) >= least).any())

        call = self._play(self._always(chosen), layers, limit, rng, next_look, doubled)
        tally.add(call.tally)
        return call.played

    def draw_rewards(self, tally: Tally, rng: np.random.Generator) -> None:
        """Nothing: they were seen."""

    def _play(
        self,
        choose: Choose,
        layers: int,
        limit: int,
        rng: np.random.Generator,
        next_look: Callable[[int], int] | None = None,
        done: Callable[[Tally], bool] = lambda seen: False,
    ) -> KeptCall:
        """At most limit episodes; whether they are done is asked after next_look(0) of them, and so on."""
        seed, recorder = int(rng.integers(2**63)), self._recorder
        if recorder.answered:
            return KeptCall.unpacked(recorder.answer())
        if recorder.partial is None:
            call = KeptCall(self._world.leader_action, Tally.empty((layers, *self.shape[1:])))
        else:
            call = KeptCall.unpacked(recorder.partial)
        kept, log = call.played, self._log()
        episodes = self._episodes(seed, choose, kept)
        finished = call.played >= limit
        while not finished:
            until = min(limit, next_look(call.played)) if next_look else limit
            while call.played < until:
                most = min(log.room, until - call.played)
                played = log.play(episodes, most, recorder.over)
                log.count_into(call.tally)
                call.played += played
                if played < most:
                    recorder.samples[call.leader_action] += call.played - kept
                    recorder.cut(call.packed())
            finished = call.played >= limit or done(call.tally)
        recorder.samples[call.leader_action] += call.played - kept
        recorder.add(call.packed())
        return call

    def _log(self) -> StepLog:
        """An empty one; ends are kept with the recorder: what is refused must not depend on cuts."""
        ends: Ends = self._recorder.memory.setdefault(self._world.leader_action, Ends(self.shape))
        return StepLog(self._world, self.initial_state, ends)

    def _episodes(self, seed: int, choose: Choose, first: int) -> Iterator[tuple[int, Rows]]:
        """Seed and rows of the episodes of a call, from episode `first` on."""
        chunk, skip = divmod(first, CHUNK)
        while True:
            rng = streams.generator("episodes", seed, chunk)
            seeds = rng.integers(SEEDS, size=CHUNK).tolist()
            yield from itertools.islice(zip(seeds, choose(rng), strict=False), skip, None)
            chunk, skip = chunk + 1, 0
