"""Core set: few feature rows with weights under which every row has leverage at most twice the rank."""

from dataclasses import dataclass
from decimal import Decimal, localcontext

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.models.feature_source import FeatureSource
from stackel_bench.planning.design.cover import covering, started, support_bound
from stackel_bench.planning.design.least_squares import independent_columns
from stackel_bench.planning.design.rows import FeatureRows, feature_rows, reject_non_finite
from stackel_bench.planning.design.span import FeatureSpan, feature_span
from stackel_bench.streams import generator
from stackel_bench.tolerances import LEVERAGE

RESTART = 4.0  # a row above this many ranks means that the pool was not representative
SAMPLE_RESTART = 2.2  # the same within the sample, where a new start costs little and keeps the support small


@dataclass(frozen=True, eq=False)
class CoreSet:
    """Rows [K] in increasing order with weights [K] that sum to 1, all positive.

    max_leverage is the largest phi^T V^+ phi over all rows, V = sum_j w_j phi_j phi_j^T, to a relative 1e-9
    (of features that do not span R^d, whose span is known up to rounding only: or 1e-14 times the condition).
    passes counts reads of feature rows, in units of all n rows; it alone may differ between processors.
    """

    indices: np.ndarray
    weights: np.ndarray
    max_leverage: float
    rank: int
    passes: float


def core_set(features: np.ndarray | FeatureSource) -> CoreSet:
    """A near-optimal design on the rows of features [n,d], or on all pairs of a feature source.

    Every row has leverage <= 2 rank and the support has at most support_bound(d) rows (Lattimore, Szepesvari,
    Weisz 2020, Theorem 4.4). A pool of sampled rows gets a design by Frank-Wolfe, all rows are scanned under
    it, and rows above the limit join the pool. The random stream is fixed, and so is the order of every sum
    that decides: same features, same core set, on every processor.
    Features of rank zero, non-finite features, and features with a direction so small beside the largest that
    double precision cannot fit it (tolerances.WORST_CONDITION) raise an InputError.
    """
    rows = feature_rows(features)
    stream = generator("core_set", rows.count, rows.dimension)
    sample = _sample(rows, max(20 * rows.dimension, 200), stream)
    sample_rows = rows.pick(sample)
    reject_non_finite(rows, sample_rows, sample)
    span = feature_span(rows, sample_rows)
    if span.rank == 0:
        raise InputError("features", "rank 0 (all rows are zero)", "at least one row that is not zero")
    pool = np.union1d(sample, span.extra_rows)
    found = started(pool, span.coordinates(rows.pick(pool)), reads=span.passes * rows.count)
    middle = 600 * rows.dimension
    if rows.count > 4 * middle:
        # A larger sample first: it costs little and most often leaves only few rows to the scan of all.
        larger = _sample(rows, middle, stream)
        found = covering(feature_rows(rows.pick(larger)), larger, span, sample_rows, found, SAMPLE_RESTART)
    found = covering(rows, None, span, sample_rows, found, RESTART)
    support = np.nonzero(found.design.weights)[0]
    if len(support) > support_bound(rows.dimension):
        raise ArithmeticError(f"{len(support)} core points in R^{rows.dimension}: the theorem allows fewer")
    order = support[np.argsort(found.indices[support])]
    indices, weights = found.indices[order], found.design.weights[order]
    weights /= weights.sum()
    for returned in (indices, weights):
        returned.setflags(write=False)
    leverage = found.max_leverage
    if found.error > LEVERAGE / 2:
        leverage = _precise(rows, span, indices, weights, found.largest)
    return CoreSet(indices, weights, leverage, span.rank, found.reads / rows.count)


def _precise(
    rows: FeatureRows, span: FeatureSpan, indices: np.ndarray, weights: np.ndarray, largest: np.ndarray
) -> float:
    """The largest leverage of these rows without rounding, from as many coordinates as the rank."""
    points = rows.pick(indices) * span.scales
    columns = independent_columns(points, span.rank)
    leverage = 0.0
    for _, block in rows.picked(largest):
        distinct = np.unique((block * span.scales)[:, columns], axis=0)
        leverage = max(leverage, precise_leverage(points[:, columns], weights, distinct))
    return leverage


def _sample(rows: FeatureRows, size: int, stream: np.random.Generator) -> np.ndarray:
    """Indices of size distinct rows, or of all rows if there are not more."""
    if rows.count <= size:
        return np.arange(rows.count)
    return np.sort(stream.choice(rows.count, size, replace=False, shuffle=False))


DIGITS = 40  # the Gram matrix squares the features' condition, which is at most 1e10: 20 digits are left


def precise_leverage(points: np.ndarray, weights: np.ndarray, rows: np.ndarray) -> float:
    """The largest y^T V^-1 y over rows y [n,r], V = sum_j w_j x_j x_j^T with points x [K,r] and weights [K].

    Gaussian elimination of V = L D L^T, which turns each row y into L^-1 y on the way.
    """
    with localcontext(prec=DIGITS):
        exact = np.vectorize(Decimal, otypes=[object])
        x, y = exact(points), exact(rows)
        gram = x.T @ (exact(weights)[:, None] * x)
        leverages = np.full(len(y), Decimal(0))
        for k in range(len(gram)):
            leverages += y[:, k] ** 2 / gram[k, k]
            shares = gram[k, k + 1 :] / gram[k, k]
            y[:, k + 1 :] -= y[:, k, None] * shares
            gram[k + 1 :, k + 1 :] -= shares[:, None] * gram[k, k + 1 :]
        return float(leverages.max())
