"""What a learner may do with a game of action pairs: ask for its sizes and pull pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from stackel_bench.games.noise import Noise
from stackel_bench.models import PayoffTable
from stackel_bench.simulation.pulls import nested_reward_sums, reward_sums


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
