"""Episodes that are really played, as an EpisodeSource: one reset and H steps each, seeded by the key."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.families.bandit_rl.programs.log import Ends, Rows, StepLog
from stackel_bench.families.bandit_rl.programs.world import MakeEnv, Rules, World
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.simulation.recording import Checkpoint, Recorder
from stackel_bench.simulation.tally import Tally

CHUNK = 256  # episodes that share a random stream
SEEDS = 2**31  # of reset

# (uniform numbers [H], one more of them) -> the rows of one episode
Choose = Callable[[np.ndarray, float], Rows]


class _Drawn(Sequence[int]):
    """A row of a stochastic policy for an episode whose number is u: the action by inverting its law."""

    def __init__(self, laws: list[list[float]], u: float, first_action: int) -> None:
        self._laws, self._u, self._first = laws, u, first_action

    def __getitem__(self, state: Any) -> Any:
        return bisect_right(self._laws[state], self._u) + self._first

    def __len__(self) -> int:
        return len(self._laws)


@dataclass(eq=False)
class _Call:
    """What one call has played so far."""

    leader_action: int
    tally: Tally
    played: int = 0

    def packed(self) -> tuple[Any, ...]:
        """Plain arrays of what is not zero."""
        tally = self.tally
        seen = np.flatnonzero(tally.counts)
        at = np.flatnonzero(tally.rewarded)
        sums = (np.ravel(tally.leader_sums)[at], np.ravel(tally.follower_sums)[at])
        shape = tally.counts.shape[:3]
        return self.leader_action, shape, self.played, seen, np.ravel(tally.counts)[seen], at, *sums

    @classmethod
    def unpacked(cls, packed: tuple[Any, ...]) -> _Call:
        """The call that was packed."""
        leader_action, shape, played, seen, counts, at, leader, follower = packed
        tally = Tally.empty(shape)
        tally.counts.reshape(-1)[seen] = counts
        tally.leader_sums.reshape(-1)[at], tally.follower_sums.reshape(-1)[at] = leader, follower
        tally.rewarded = tally.visits()
        return cls(leader_action, tally, played)


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
        first = self._world.first_action
        self._constant = [[first + action] * self.shape[1] for action in range(self.shape[2])]

    def close(self) -> None:
        """Close the environment."""
        self._world.close()

    @functools.cached_property
    def _ends(self) -> Ends:
        """Kept with the recorder, since what is forbidden must not depend on where a run was cut."""
        kept: Ends = self._recorder.memory.setdefault(self._world.leader_action, Ends(self.shape))
        return kept

    def play(self, policy: np.ndarray, episodes: int, rng: np.random.Generator) -> Tally:
        """Episodes under a Markov policy [H,S,B] (rows sum to 1)."""
        return self._play(self._choose(policy), self.shape[0], episodes, rng).tally

    def returns(self, policy: np.ndarray, episodes: int, rng: np.random.Generator) -> np.ndarray:
        """What the follower and the leader earn in each of some episodes of a policy: [2, episodes]."""
        log, tally = StepLog(self._world, self.initial_state, self._ends), Tally.empty(self.shape)
        played = self._episodes(int(rng.integers(2**63)), self._choose(policy), 0)
        with self._world.in_time() as again:
            for _ in range(episodes):
                again()
                log.play(*next(played))
        log.empty_into(tally)
        return np.concatenate(log.returns, axis=1)

    def _choose(self, policy: np.ndarray) -> Choose:
        table = checks.array("policy", policy, shape=self.shape)
        checks.distributions("policy", table)
        first = self._world.first_action
        if (table.max(axis=2) == 1).all():
            rows: Rows = (table.argmax(axis=2) + first).tolist()
            return lambda u, which: rows
        laws = np.cumsum(table, axis=2)[:, :, :-1].tolist()  # whatever is left is the last action

        def choose(u: np.ndarray, which: float) -> Rows:
            return [_Drawn(law, x, first) for law, x in zip(laws, u.tolist(), strict=True)]

        return choose

    def play_mixture(self, mixture: PolicyMixture, episodes: int, rng: np.random.Generator) -> Tally:
        """Episodes that each draw a policy of the mixture by weight."""
        tables: list[Any] = (mixture.actions.astype(int) + self._world.first_action).tolist()
        lengths, shares = mixture.lengths.tolist(), np.cumsum(mixture.weights)
        actions, total = self.shape[2], int(shares[-1])

        def choose(u: np.ndarray, which: float) -> Rows:
            k = int(np.searchsorted(shares, which * total, side="right"))
            length = lengths[k]
            tail = [self._constant[int(x)] for x in (u[length:] * actions).tolist()]
            return tables[k][:length] + tail  # type: ignore[no-any-return]

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
        rows: Rows = (chosen + self._world.first_action).tolist()

        def doubled(new: Tally) -> bool:
            return bool((new.counts.sum(axis=(2, 3)) >= least).any())

        call = self._play(
            lambda u, which: rows, layers, limit, rng, 1 if exact else first_batch, exact, doubled
        )
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
        first_batch: int = 0,
        every: bool = False,
        done: Callable[[Tally], bool] = lambda tally: False,
    ) -> _Call:
        """At most limit episodes; done is asked after first_batch of them, 2 first_batch, ... (or every)."""
        seed, recorder = int(rng.integers(2**63)), self._recorder
        if recorder.answered:
            return _Call.unpacked(recorder.answer())
        if recorder.partial is None:
            call = _Call(self._world.leader_action, Tally.empty((layers, *self.shape[1:])))
        else:
            call = _Call.unpacked(recorder.partial)
        episodes = self._episodes(seed, choose, call.played)
        log = StepLog(self._world, self.initial_state, self._ends)
        finished, kept = call.played >= limit, call.played
        may_end, samples = recorder.seconds is not None, recorder.samples
        with self._world.in_time() as again:
            while not finished:
                until = min(limit, _next_look(call.played, first_batch, every) if first_batch else limit)
                while call.played < until:
                    if may_end and recorder.over:
                        log.empty_into(call.tally)
                        samples[call.leader_action] += call.played - kept
                        recorder.cut(call.packed())
                    again()
                    log.play(*next(episodes))
                    call.played += 1
                    if log.is_full:
                        log.empty_into(call.tally)
                log.empty_into(call.tally)
                finished = call.played >= limit or done(call.tally)
        samples[call.leader_action] += call.played - kept
        recorder.add(call.packed())
        return call

    def _episodes(self, seed: int, choose: Choose, first: int) -> Iterator[tuple[int, Rows]]:
        """Seed and rows of the episodes of a call, from episode `first` on."""
        chunk, skip = divmod(first, CHUNK)
        while True:
            rng = streams.generator("episodes", seed, chunk)
            seeds = rng.integers(SEEDS, size=CHUNK).tolist()
            which, numbers = rng.random(CHUNK), rng.random((CHUNK, self.shape[0]))
            for i in range(skip, CHUNK):
                yield seeds[i], choose(numbers[i], float(which[i]))
            chunk, skip = chunk + 1, 0


def counts_so_far(saved: Checkpoint, shape: tuple[int, int, int]) -> dict[int, np.ndarray]:
    """Transition counts [H,S,B,S] of all episodes of a run that was cut, by leader action, if all are there.

    Answers of earlier rounds are not kept with a run in rounds.
    """
    played: Counter[int] = Counter()
    found: defaultdict[int, np.ndarray] = defaultdict(lambda: np.zeros((*shape, shape[1]), dtype=np.int64))
    for packed in filter(None, (*saved.answers, saved.partial)):
        leader_action, _, episodes, seen, counts, *_ = packed
        played[leader_action] += episodes
        found[leader_action].reshape(-1)[seen] += counts  # of the first layers, which come first
    return {action: found[action] for action in found if played[action] == saved.samples[action]}


def _next_look(played: int, first_batch: int, every: bool) -> int:
    """The smallest of first_batch, 2 first_batch, 4 first_batch, ... beyond what was played."""
    if every:
        return played + 1
    look = first_batch
    while look <= played:
        look *= 2
    return look
