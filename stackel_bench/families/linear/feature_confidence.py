"""Confidence on linear means that holds at every time at once, however queries were chosen.

x_t are the features queried, V their Gram matrix, theta^ ordinary least squares on everything, and
S = V (theta^ - theta) the noise. For any fixed matrix Lam, exp(S' (V + Lam)^-1 S / (2 sigma^2)) times
sqrt(det Lam / det(V + Lam)) is a mixture of nonnegative supermartingales (a normal prior of precision Lam),
so by Ville's inequality S' (V + Lam)^-1 S <= sigma^2 (2 ln(1/a) + ln det(V + Lam) - ln det Lam) for ever with
probability 1 - a, and by Cauchy-Schwarz, for every y at once,

    |y' (theta^ - theta)|^2 <= sigma^2 beta y' (V^-1 + V^-1 Lam V^-1) y.

That is tightest where Lam is about a third of V, so Lam runs through multiples 1, 8, 64, ... of the Gram
matrix of the first batch, which is fixed in advance; each has its share of delta, and the best one counts.
"""

import math
from dataclasses import dataclass

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.models.feature_source import FeatureSource
from stackel_bench.planning.design.core_set import CoreSet, core_set
from stackel_bench.planning.design.feature_products import products, squared_lengths
from stackel_bench.planning.design.least_squares import independent_columns
from stackel_bench.planning.design.triangular import cholesky_factor, triangular_factor, triangular_inverse
from stackel_bench.statistics.elementary import log
from stackel_bench.tolerances import RADIUS_ROUNDING


@dataclass(frozen=True, eq=False)
class Whitening:
    """Coordinates on the span of the features, in which the core set's second moment is the identity.

    As many columns of the features as their rank say all; scales are powers of two.
    """

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


STEP = 8.0  # between multiples of the first batch


class FeatureConfidence:
    """Queries in whitened coordinates [r] with their rewards; delta/2 for each player."""

    def __init__(self, rank: int, delta: float, radius: float, most: float) -> None:
        """Noise has the sub-Gaussian scale `radius`; all queries are at most `most` times the first batch."""
        self.samples = 0
        self.gram = np.zeros((rank, rank))
        self._moments = np.zeros((rank, 2))
        self._first: np.ndarray | None = None
        self._multiples = STEP ** np.arange(1 + max(0, math.ceil(math.log(most, STEP))))
        self._level = 2 * math.log(2 * len(self._multiples) / delta)
        self._radius = radius * (1 + RADIUS_ROUNDING)

    def add(self, rows: np.ndarray, counts: np.ndarray, rewards: np.ndarray) -> None:
        """counts [k] queries at rows [k,r] gave reward sums [k,2]; the first batch is fixed in advance."""
        self.samples += int(counts.sum())
        self.gram = self.gram + products(rows.T * counts, rows)
        self._moments = self._moments + products(rows.T, rewards)
        if self._first is None:
            self._first = self.gram
        first = cholesky_factor(self._first)
        self._inverse = triangular_inverse(cholesky_factor(self.gram))
        self._across = products(self._inverse.T, first.T)
        self.fitted = products(self._inverse, products(self._inverse.T, self._moments))
        ratios = [self.gram + multiple * self._first for multiple in self._multiples]
        larger = np.array([_log_determinant(cholesky_factor(matrix)) for matrix in ratios])
        smaller = _log_determinant(first) + len(first) * np.array([log(c) for c in self._multiples])
        self._betas = self._level + larger - smaller

    def variances(self, directions: np.ndarray) -> np.ndarray:
        """y' V^-1 y of directions y [q,r]."""
        return squared_lengths(directions, self._inverse)

    def intervals(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """low, high [n,B] of the leader's means and bounds [n,B,B] of the follower's differences.

        For leader actions whose pairs have coordinates rows [n,B,r]; all of it holds with probability
        1 - delta, whenever asked.
        """
        shape = rows.shape[:2]
        flat = rows.reshape(-1, rows.shape[2])
        leader, follower = (mean.reshape(shape) for mean in products(flat, self.fitted).T)
        reach = products(flat, self._inverse)
        further = products(reach, self._across)
        own, apart = _radii(
            reach.reshape(rows.shape), further.reshape(rows.shape), self._betas, self._multiples
        )
        own, apart = self._radius * own, self._radius * apart
        return leader - own, leader + own, follower[:, :, None] - follower[:, None, :] + apart


def _log_determinant(factor: np.ndarray) -> float:
    """ln det(R' R)."""
    return 2 * math.fsum(log(entry) for entry in np.diag(factor))


@kernel
def _radii(
    reach: np.ndarray, further: np.ndarray, betas: np.ndarray, multiples: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """sqrt(min_k beta_k (p + c_k q)) of every pair [n,B] and of every difference of two pairs [n,B,B].

    p and q are squared lengths of what is given in coordinates reach and further [n,B,r].
    """
    count, size, rank = reach.shape
    own, apart = np.empty((count, size)), np.zeros((count, size, size))
    for i in range(count):
        for b in range(size):
            for k in range(b + 1):
                p, q = 0.0, 0.0
                for j in range(rank):
                    x, y = reach[i, b, j], further[i, b, j]
                    if k < b:
                        x, y = x - reach[i, k, j], y - further[i, k, j]
                    p += x * x
                    q += y * y
                least = np.inf
                for m in range(len(betas)):
                    least = min(least, betas[m] * (p + multiples[m] * q))
                if k == b:
                    own[i, b] = np.sqrt(least)
                else:
                    apart[i, b, k] = apart[i, k, b] = np.sqrt(least)
    return own, apart
