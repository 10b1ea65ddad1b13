"""Counts of episodes in a follower MDP that is sampled, never read; the cost ignores their number."""

from dataclasses import InitVar, dataclass, field
from typing import Any, cast

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.models import FollowerMDP
from stackel_bench.simulation.kernels.binomial import binomial_each
from stackel_bench.simulation.kernels.doubling import play_until_doubled
from stackel_bench.simulation.kernels.episodes import play_policy, play_prefixes
from stackel_bench.simulation.kernels.multinomial import RowTables, multinomial_rows, row_tables
from stackel_bench.simulation.policy_mixture import ACTION_TYPE, PolicyMixture
from stackel_bench.simulation.tally import EpisodeSource, Tally

NOISES = ("bernoulli", "deterministic")


@dataclass(frozen=True, eq=False)
class EpisodeSimulator:
    """All that an explorer sees of the truth: shape, initial state and samples; an EpisodeSource.

    Every method returns sufficient statistics with exactly the law that playing the episodes one by one
    would give them. Reward sums are drawn from pooled visit counts, which is exact because a reward is
    independent of the next state given (layer, state, action).
    """

    mdp: InitVar[FollowerMDP]
    noise: str = "bernoulli"
    shape: tuple[int, int, int] = field(init=False)
    initial_state: int = field(init=False)
    _tables: RowTables = field(init=False, repr=False)
    _means: tuple[np.ndarray, np.ndarray] = field(init=False, repr=False)

    def __post_init__(self, mdp: FollowerMDP) -> None:
        checks.choice("noise", self.noise, NOISES)
        _, states, actions = mdp.shape
        if actions > np.iinfo(ACTION_TYPE).max:
            raise InputError("number of follower actions", actions, f"<= {np.iinfo(ACTION_TYPE).max}")
        for name in ("leader_rewards", "follower_rewards"):
            means = getattr(mdp, name)
            checks.reject_first(name, means, (means < 0) | (means > 1), "mean rewards in [0, 1]")
        object.__setattr__(self, "shape", mdp.shape)
        object.__setattr__(self, "initial_state", mdp.initial_state)
        object.__setattr__(self, "_tables", row_tables(mdp.transitions.reshape(-1, states).copy()))
        object.__setattr__(self, "_means", (mdp.leader_rewards.copy(), mdp.follower_rewards.copy()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Object stores hand out read-only arrays, for which every kernel would be compiled a second time.
        for name in ("_tables", "_means"):
            writable = [np.require(part, requirements=["C", "W"]) for part in state[name]]
            state[name] = RowTables(*writable) if name == "_tables" else tuple(writable)
        self.__dict__.update(state)

    def play(self, policy: np.ndarray, episodes: int, rng: np.random.Generator) -> Tally:
        """Episodes under a Markov policy [H,S,B] (rows sum to 1); their rewards are not drawn yet."""
        table = checks.array("policy", policy, shape=self.shape)
        checks.distributions("policy", table)
        arriving = np.zeros(self.shape[:2], dtype=np.int64)
        arriving[0, self.initial_state] = _episodes(episodes)
        return Tally.unrewarded(play_policy(rng, arriving, table.copy(), self._tables))

    def play_mixture(self, mixture: PolicyMixture, episodes: int, rng: np.random.Generator) -> Tally:
        """Episodes that each draw a policy of the mixture by weight; their rewards are not drawn yet.

        The uniform tails of all policies are pooled and played once.
        """
        horizon, states, actions = self.shape
        if mixture.actions.shape[1:] != (horizon, states):
            raise InputError("mixture.actions.shape", mixture.actions.shape, f"[K,{horizon},{states}]")
        counts = np.zeros((horizon, states, actions, states), dtype=np.int64)
        arrivals = play_prefixes(
            rng,
            _episodes(episodes),
            self.initial_state,
            mixture.actions,
            mixture.weights,
            mixture.lengths,
            self._tables,
            counts,
        )
        uniform = np.full(self.shape, 1 / actions)
        arriving = np.ascontiguousarray(arrivals[:horizon], dtype=np.int64)
        return Tally.unrewarded(counts + play_policy(rng, arriving, uniform, self._tables))

    def play_until_doubled(
        self,
        actions: np.ndarray,
        tally: Tally | np.ndarray,
        limit: int,
        rng: np.random.Generator,
        *,
        layers: int,
        first_batch: int = 1,
        exact: bool = False,
    ) -> int:
        """Number of episodes played, at most limit, until a visit count of this policy has doubled.

        As EpisodeSource says; layers from `layers` on are not simulated. Bare counts do for a tally.
        """
        counts = tally.counts if isinstance(tally, Tally) else tally
        return int(
            play_until_doubled(
                rng, actions, layers, limit, first_batch, exact, self.initial_state, self._tables, counts
            )
        )

    def query(self, visits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Transition counts int64 [H,S,B,S] of a generative model asked visits [H,S,B] times per triple."""
        totals = np.ascontiguousarray(visits, dtype=np.int64).reshape(-1)
        return multinomial_rows(rng, totals, self._tables).reshape(*self.shape, self.shape[1])

    def reward_sums(self, visits: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Sums of leader and of follower rewards [H,S,B] over visits int64 [H,S,B]; independent noise."""
        if self.noise == "deterministic":
            leader, follower = (np.asarray(visits * means) for means in self._means)
        else:
            totals = np.ascontiguousarray(visits, dtype=np.int64).reshape(-1)
            draws = (binomial_each(rng, totals, means.reshape(-1)) for means in self._means)
            leader, follower = (draw.reshape(visits.shape).astype(np.float64) for draw in draws)
        return leader, follower

    def draw_rewards(self, tally: Tally, rng: np.random.Generator) -> None:
        """Add the rewards of those visits that have none yet.

        Given the visits they are independent of everything else, so the moment does not matter.
        """
        visits = tally.visits()
        leader, follower = self.reward_sums(visits - tally.rewarded, rng)
        tally.leader_sums, tally.follower_sums = tally.leader_sums + leader, tally.follower_sums + follower
        tally.rewarded = visits


def simulated(source: EpisodeSource) -> EpisodeSimulator:
    """The source, as one that can be asked for any triple and continue episodes from any state."""
    if not hasattr(source, "query"):
        allowed = "a simulated table: a program plays episodes from their start only"
        raise InputError("episodes", type(source).__name__, allowed)
    return cast(EpisodeSimulator, source)


def _episodes(episodes: int) -> int:
    return checks.integer("episodes", episodes, least=0, most=checks.MAX_EXACT_COUNT)
