"""Linear bandit games: mean rewards are linear in known features of the pair of actions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.families.sizes import PAIRS
from stackel_bench.games.identity import digest_of_arrays
from stackel_bench.games.noise import Noise
from stackel_bench.models.feature_source import FeatureSource, leader_blocks
from stackel_bench.models.linear_model import LinearModel
from stackel_bench.planning.design.feature_products import row_means
from stackel_bench.simulation.pulls import nested_reward_sums, reward_sums
from stackel_bench.text import ShortRepr
from stackel_bench.tolerances import SUM_TIE

BLOCK_ELEMENTS = 2**20  # part of the identity: it says how the features are cut for the digest
LARGEST_PRODUCTS = 1e13  # terms of a mean reward: beyond it their rounding is of the order of 0.1


@dataclass(frozen=True, eq=False)
class FeatureSampler:
    """Sampling access to a linear model: features are known, parameters are out of a learner's sight."""

    block_size: ClassVar[int] = 64  # replicates that share a random stream
    job_per_unit: ClassVar[bool] = False  # a core point alone is too little work for a task
    _model: LinearModel = field(repr=False)
    _noise: Noise

    @property
    def shape(self) -> tuple[int, int, int]:
        """(A, B, d)."""
        return self._model.shape

    @property
    def features(self) -> FeatureSource:
        """phi(a,b) of all pairs; pair (a,b) has index a*B+b."""
        return self._model.features

    @property
    def sub_gaussian_scale(self) -> float:
        """The tail bound that learners are told."""
        return self._noise.sub_gaussian_scale

    @property
    def bounded(self) -> bool:
        """Whether rewards are in [0,1]."""
        return self._noise.kind == "bernoulli"

    def pull_pair(
        self, pair: int, ladder: Sequence[int], rng: np.random.Generator, replicates: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Leader and follower reward sums [rung] after ladder[rung] pulls of the pair with this index.

        With a number of replicates they get a first axis [replicate, rung].
        """
        means = self._means(np.array([pair]))[:, 0]
        sums = nested_reward_sums(means, self._noise.kind, self._noise.scale, ladder, rng, replicates)
        return sums[..., 0], sums[..., 1]

    def pull_counts(
        self, pairs: np.ndarray, counts: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Leader and follower reward sums [k] of counts[k] pulls of the pairs with these indices [k]."""
        sums = reward_sums(self._means(pairs), self._noise.kind, self._noise.scale, counts, rng)
        return sums[0], sums[1]

    def _means(self, pairs: np.ndarray) -> np.ndarray:
        """Both players' means [2,k]."""
        model = self._model
        features = model.features.pairs(pairs)
        means = np.stack(row_means(features, model.leader_parameters, model.follower_parameters))
        # Bernoulli means outside [0,1] are so by rounding only: the game has checked them.
        return np.clip(means, 0.0, 1.0) if self.bounded else means


@dataclass(frozen=True, eq=False, repr=False)
class LinearBanditGame(ShortRepr):
    """A linear model (the truth) and the noise on top of it, Gaussian of standard deviation 1 by default."""

    family: ClassVar[str] = "linear"
    model: LinearModel
    noise: Noise = field(default_factory=lambda: Noise("gaussian", 1.0))
    name: str = "linear/explicit"
    identity: str = ""

    def __post_init__(self) -> None:
        if self.identity:  # checked before; a copy under another name reads no features again
            return
        leaders, followers, dimension = self.model.shape
        if dimension > leaders * followers:
            allowed = f"at most one dimension per pair, {leaders * followers}"
            raise InputError("dimension of features", dimension, allowed)
        digest = digest_of_arrays(self.family, self._checked_arrays(), self.noise)
        object.__setattr__(self, "identity", digest)

    def _checked_arrays(self) -> Iterator[np.ndarray]:
        """The parameters, then the features block by block; faults are raised on the way."""
        yield self.model.leader_parameters
        yield self.model.follower_parameters
        largest = np.zeros(self.model.shape[2])
        for start, block in leader_blocks(self.model.features, BLOCK_ELEMENTS):
            largest = np.maximum(largest, np.maximum(block.max(axis=(0, 1)), -block.min(axis=(0, 1))))
            if self.noise.kind == "bernoulli":
                rows = block.reshape(-1, self.model.shape[2])
                means = row_means(rows, self.model.leader_parameters, self.model.follower_parameters)
                for name, values in zip(("leader_means", "follower_means"), means, strict=True):
                    _check_means(name, start, values.reshape(block.shape[:2]))
            yield block
        if not largest.any():
            raise InputError("rank of features", 0, "at least 1")
        for name in ("leader_parameters", "follower_parameters"):
            with np.errstate(over="ignore"):
                products = float((largest * np.abs(getattr(self.model, name))).sum())
            if not products <= LARGEST_PRODUCTS:
                found = f"products with features that add up to {products:.3g}"
                allowed = f"at most {LARGEST_PRODUCTS:.0e}, else means are rounding: choose other units"
                raise InputError(name, found, allowed)

    @property
    def sampler(self) -> FeatureSampler:
        """All that a learner gets."""
        return FeatureSampler(self.model, self.noise)

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that sample complexity is measured against."""
        return dict(zip((*PAIRS, "dimension"), self.model.shape, strict=True))


def _check_means(field: str, start: int, means: np.ndarray) -> None:
    bad = np.argwhere((means < -SUM_TIE) | (means > 1 + SUM_TIE))
    if len(bad):
        leader, follower = (int(i) for i in bad[0])
        found = float(means[leader, follower])
        raise InputError(f"{field}[{start + leader},{follower}]", found, "[0, 1] (noise is bounded)")
