"""A linear model: features of all pairs of actions and each player's parameter vector."""

from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.models.feature_source import FeatureSource, feature_source, leader_blocks
from stackel_bench.text import ShortRepr

CHECK_ELEMENTS = 2**20  # 8 MB of features are looked at together


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel(ShortRepr):
    """Mean rewards phi(a,b)^T theta with features [A,B,d] and two parameter vectors [d].

    Features may be an array, a memory map (neither is copied) or a feature source that yields blocks; they
    are read once, block by block, to see that they are finite.
    """

    features: FeatureSource
    leader_parameters: np.ndarray
    follower_parameters: np.ndarray

    def __post_init__(self) -> None:
        source = feature_source(self.features)
        object.__setattr__(self, "features", source)
        for name in ("leader_parameters", "follower_parameters"):
            values = checks.array(name, getattr(self, name), shape=(source.shape[2],))
            object.__setattr__(self, name, values)
        _reject_non_finite(source)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(number of leader actions A, number of follower actions B, dimension d)."""
        return self.features.shape


def _reject_non_finite(source: FeatureSource) -> None:
    for start, block in leader_blocks(source, CHECK_ELEMENTS):
        # A sum is finite only if all its terms are; it spares the array of booleans in the usual case.
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(block.sum()):
                continue
        bad = np.argwhere(~np.isfinite(block))
        if len(bad):
            leader, follower, coordinate = (int(i) for i in bad[0])
            found = float(block[leader, follower, coordinate])
            raise InputError(f"features[{start + leader},{follower},{coordinate}]", found, "finite numbers")
