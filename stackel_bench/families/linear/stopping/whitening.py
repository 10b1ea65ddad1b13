"""Features on their span, in coordinates in which the core set's second moment is the identity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackel_bench.models.feature_source import FeatureSource
from stackel_bench.planning.design.core_set import CoreSet, core_set
from stackel_bench.planning.design.feature_products import products
from stackel_bench.planning.design.least_squares import independent_columns
from stackel_bench.planning.design.triangular import triangular_factor, triangular_inverse


@dataclass(frozen=True, eq=False)
class Whitening:
    """As many columns of the features as their rank say all; scales are powers of two."""

    design: CoreSet
    dimension: int  # d
    columns: np.ndarray  # [r]
    scales: np.ndarray  # [r]
    inverse: np.ndarray  # [r,r]

    @property
    def rank(self) -> int:
        """Dimension r of the span."""
        return self.design.rank

    def coordinates(self, rows: np.ndarray) -> np.ndarray:
        """Coordinates [..., r] of feature rows [..., d]; their squared length is at most 2r."""
        picked = rows[..., self.columns] * self.scales
        return products(picked.reshape(-1, self.rank), self.inverse).reshape(picked.shape)

    def parameters(self, fitted: np.ndarray) -> np.ndarray:
        """Parameters [d,k] of the features that give the same means as fitted [r,k] of coordinates."""
        found = np.zeros((self.dimension, fitted.shape[1]))
        found[self.columns] = products(self.inverse, fitted) * self.scales[:, None]
        return found


def whitening(features: FeatureSource) -> Whitening:
    """Features that double precision cannot fit are refused by the core set."""
    design = core_set(features)
    points = features.pairs(design.indices)
    largest = np.abs(points).max(axis=0)
    scales = np.ldexp(1.0, -np.frexp(np.where(largest > 0, largest, 1.0))[1])
    columns = independent_columns(points * scales, design.rank)
    weighted = (points * scales)[:, columns] * np.sqrt(design.weights)[:, None]
    inverse = triangular_inverse(triangular_factor(weighted))
    return Whitening(design, len(scales), columns, scales[columns], inverse)
