"""A design under which all rows have a small leverage, from a pool that grows by the rows above the limit."""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.planning.design.feature_products import products
from stackel_bench.planning.design.pool import PoolDesign, pool_design, start_weights
from stackel_bench.planning.design.rows import FeatureRows
from stackel_bench.planning.design.scan import scan_leverages, whitening
from stackel_bench.planning.design.span import FeatureSpan
from stackel_bench.planning.design.triangular import condition
from stackel_bench.tolerances import FLOAT_STEP

LIMIT = 2.0  # largest leverage allowed, in units of the rank
POOL_TARGET = 1.95  # what the design reaches on its pool, so that unseen rows have some room


@dataclass(frozen=True, eq=False)
class CoveringDesign:
    """A design on a pool of rows, their indices [m] and coordinates [m,r]; reads counts rows looked at.

    Of the rows that were scanned last, max_leverage is the largest leverage, error bounds the relative error
    of each, and largest [k] are those that may have the largest one.
    """

    indices: np.ndarray
    pool: np.ndarray
    design: PoolDesign
    reads: int
    max_leverage: float = math.inf
    error: float = math.inf
    largest: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))


def support_bound(dimension: int) -> int:
    """Largest support of a core set in R^d: 4 d max(0, log log d) + 16 (erratum 14: the log may be < 0)."""
    loglog = math.log(math.log(dimension)) if dimension > 2 else 0.0
    return math.floor(4 * dimension * max(0.0, loglog) + 16)


def started(
    indices: np.ndarray, pool: np.ndarray, reads: int, good: np.ndarray | None = None
) -> CoveringDesign:
    """The design on this pool, from scratch or from weights that were good on its first rows."""
    weights = start_weights(pool) if good is None else np.pad(good, (0, len(pool) - len(good)))
    return CoveringDesign(indices, pool, pool_design(pool, weights, POOL_TARGET * pool.shape[1]), reads)


def covering(
    rows: FeatureRows,
    numbers: np.ndarray | None,
    span: FeatureSpan,
    sample: np.ndarray,
    found: CoveringDesign,
    restart: float,
) -> CoveringDesign:
    """A design under which every one of the rows has leverage <= LIMIT * rank.

    numbers [n] are the rows' indices where they are themselves a sample. A row above restart * rank means
    that the pool was not representative: the design starts anew. Between two scans a row's bound grows by at
    most the largest eigenvalue of V_new^-1 V_old, so most rows need no second look.
    """
    rank = span.rank
    upper = np.full(rows.count, np.inf)
    wanted, before, error = None, None, 0.0
    while True:
        factor, inverse, known = found.design.factor, found.design.inverse, found.design.max_leverage
        earlier, error = error, _rounding(rows.dimension, factor, inverse)
        threshold = known * (1 - 2 * error)
        if before is not None:
            growth = np.linalg.norm(before @ inverse, 2) + _rounding(rank, before, inverse)
            upper *= (growth * (1 + earlier + error)) ** 2
            wanted = np.nonzero(~(upper <= threshold))[0]
            wanted = None if len(wanted) > rows.count // 2 else wanted
        white = whitening(span.scales, products(span.basis, inverse), sample[::3], threshold)
        reads = found.reads + scan_leverages(rows, white, threshold, upper, wanted)
        above = np.nonzero(upper > threshold)[0]
        worst = max(known, float(upper[above].max(initial=0.0)))
        if worst * (1 + error) <= LIMIT * rank:
            largest = above[upper[above] >= worst * (1 - 2 * error)]
            return replace(found, reads=reads, max_leverage=worst, error=error, largest=largest)
        new = above[np.argsort(-upper[above], kind="stable")[: 8 * rank]]
        numbered = new if numbers is None else numbers[new]
        fresh = ~np.isin(numbered, found.indices)
        if not fresh.any():
            allowed = "features whose leverages can be told apart in double precision"
            raise InputError("features", "rows that are dependent up to rounding", allowed)
        indices = np.concatenate([found.indices, numbered[fresh]])
        pool = np.concatenate([found.pool, span.coordinates(rows.pick(new[fresh]))])
        before = factor
        if worst <= restart * rank and rank > 1:
            found = started(indices, pool, reads, found.design.weights)
            if np.count_nonzero(found.design.weights) <= support_bound(rows.dimension):
                continue
        found = started(indices, pool, reads)


def _rounding(dimension: int, factor: np.ndarray, inverse: np.ndarray) -> float:
    """A bound on the relative error of leverages under a design with this factor and its inverse."""
    return 16 * (dimension + 8) * FLOAT_STEP * condition(factor, inverse)
