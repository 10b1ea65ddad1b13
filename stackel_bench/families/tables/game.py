"""A game of action pairs: a payoff table with noise, what learners may do with it, and what that costs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from stackel_bench.families.family import Measured
from stackel_bench.families.sizes import PAIRS
from stackel_bench.games.identity import digest_of_arrays
from stackel_bench.games.noise import Noise
from stackel_bench.models import PayoffTable
from stackel_bench.simulation.pulls import nested_reward_sums, reward_sums
from stackel_bench.text import ShortRepr


@dataclass(frozen=True, eq=False)
class PairSampler:
    """Sampling access to a payoff table; the means themselves are out of a learner's sight."""

    block_size: ClassVar[int] = 64  # replicates that share a random stream
    job_per_unit: ClassVar[bool] = False  # a leader action alone is too little work for a task
    _table: PayoffTable = field(repr=False)
    _noise: Noise

    @property
    def shape(self) -> tuple[int, int]:
        """(A, B)."""
        return self._table.shape

    @property
    def sub_gaussian_scale(self) -> float:
        """The tail bound that learners are told."""
        return self._noise.sub_gaussian_scale

    @property
    def whole_rewards(self) -> bool:
        """Whether reward sums are whole numbers, so that ties among them are exact."""
        return self._noise.kind == "bernoulli"

    @property
    def unit_rewards(self) -> bool:
        """Whether single rewards are known to lie in [0,1]: means alone do not say so of Gaussian ones."""
        means = np.stack([self._table.leader_means, self._table.follower_means])
        return self._noise.kind != "gaussian" and bool(((means >= 0) & (means <= 1)).all())

    def pull_row(
        self,
        leader_action: int,
        ladder: Sequence[int],
        rng: np.random.Generator,
        replicates: int | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Leader and follower reward sums [rung, B] after ladder[rung] pulls of each pair of this row.

        With a number of replicates they get a first axis [replicate, rung, B].
        """
        means = np.stack([m[leader_action] for m in (self._table.leader_means, self._table.follower_means)])
        sums = nested_reward_sums(means, self._noise.kind, self._noise.scale, ladder, rng, replicates)
        return sums[..., 0, :], sums[..., 1, :]

    def pull_counts(self, counts: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Leader and follower reward sums [A,B] of counts[a,b] pulls of each pair."""
        means = np.stack([self._table.leader_means, self._table.follower_means])
        sums = reward_sums(means, self._noise.kind, self._noise.scale, counts, rng)
        return sums[0], sums[1]


@dataclass(frozen=True, eq=False, repr=False)
class TableGame(ShortRepr):
    """A payoff table (the truth) and the noise on top of it; learners pull pairs of actions."""

    family: ClassVar[str]
    table: PayoffTable
    noise: Noise = field(default_factory=Noise)
    name: str = ""
    identity: str = ""

    def __post_init__(self) -> None:
        self.noise.validate_means("leader_means", self.table.leader_means)
        self.noise.validate_means("follower_means", self.table.follower_means)
        object.__setattr__(self, "name", self.name or f"{self.family}/explicit")
        if not self.identity:
            arrays = (self.table.leader_means, self.table.follower_means)
            object.__setattr__(self, "identity", digest_of_arrays(self.family, arrays, self.noise))

    @property
    def sampler(self) -> PairSampler:
        """All that a learner gets."""
        return PairSampler(self.table, self.noise)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that sample complexity is measured against."""
        return dict(zip(PAIRS, self.table.shape, strict=True))


def pull_cost(method: str, arguments: Mapping[str, Any], result: Any) -> float:
    """Pulls that one call of a sampler of pairs makes."""
    if method == "pull_row":
        return float(max(arguments["ladder"]) * np.shape(result[0])[-1] * (arguments.get("replicates") or 1))
    return float(np.sum(arguments["counts"])) if method == "pull_counts" else 0.0


def measured_pairs(game: Any, count: int, rng: np.random.Generator) -> Iterator[Measured]:
    """Reward sums [A,B] of both players."""
    sampler, table = game.sampler, getattr(game, "table", None)
    shape = (game.sizes["num_leader_actions"], game.sizes["num_follower_actions"])
    rows = [sampler.pull_row(row, [1, count], rng) for row in range(shape[0])]
    for player, name in enumerate(("leader", "follower")):
        sums = np.stack([np.asarray(row[player])[-1] for row in rows])
        means = None if table is None else getattr(table, f"{name}_means")
        reach = (0.0, 1.0) if sampler.whole_rewards else (-math.inf, math.inf)
        yield Measured(f"{name}'s rewards", sums, count, shape, means, sampler.sub_gaussian_scale, *reach)
