"""Core set: few feature rows with weights under which every row has leverage at most twice the rank."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.models.feature_source import FeatureSource
from stackel_bench.planning.design_pool import (
    design_factor,
    pool_design,
    start_weights,
    triangular_inverse,
)
from stackel_bench.planning.design_rows import ArrayRows, FeatureRows, feature_rows, reject_non_finite
from stackel_bench.planning.design_scan import scan_leverages, whitening
from stackel_bench.planning.design_span import FeatureSpan, feature_span
from stackel_bench.planning.design_textbook import textbook_design
from stackel_bench.streams import generator

LIMIT = 2.0  # largest leverage allowed, in units of the rank
POOL_TARGET = 1.95  # what the design reaches on its pool, so that unseen rows have some room
RESTART = 4.0  # a row above this many ranks means that the pool was not representative: start anew
SAMPLE_RESTART = 2.2  # the same within the sample, where a new start costs little and keeps the support small
TIE = 1e-9  # relative accuracy of the largest leverage that is reported


@dataclass(frozen=True, eq=False)
class CoreSet:
    """Rows [K] in increasing order with weights [K] that sum to 1, all positive.

    max_leverage is the largest phi^T V^+ phi over all rows, V = sum_j w_j phi_j phi_j^T, to a relative 1e-9.
    passes counts reads of feature rows, in units of all n rows.
    """

    indices: np.ndarray
    weights: np.ndarray
    max_leverage: float
    rank: int
    passes: float


def support_bound(dimension: int) -> int:
    """Largest support of a core set in R^d: 4 d max(0, log log d) + 16 (erratum 14: the log may be < 0)."""
    loglog = math.log(math.log(dimension)) if dimension > 2 else 0.0
    return math.floor(4 * dimension * max(0.0, loglog) + 16)


def core_set(features: np.ndarray | FeatureSource) -> CoreSet:
    """A near-optimal design on the rows of features [n,d], or on all pairs of a feature source.

    Every row has leverage <= 2 rank and the support has at most support_bound(d) rows (Lattimore, Szepesvari,
    Weisz 2020, Theorem 4.4). A pool of sampled rows gets a design by Frank-Wolfe, all rows are scanned under
    it, and rows above the limit join the pool. Should its support get too large, textbook Frank-Wolfe on all
    rows takes over. The random stream is fixed: same features, same core set.
    Features of rank zero and non-finite features raise an InputError.
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
    design = _started(pool, span.coordinates(rows.pick(pool)), reads=span.passes * rows.count)
    middle = 600 * rows.dimension
    if rows.count > 4 * middle:
        # A larger sample first: it costs little and most often leaves only few rows to the scan of all.
        larger = _sample(rows, middle, stream)
        design = _cover(
            ArrayRows(rows.pick(larger)), larger, span, sample_rows, design, restart=SAMPLE_RESTART
        )
    design = _cover(rows, None, span, sample_rows, design, restart=RESTART)
    if np.count_nonzero(design.weights) > support_bound(rows.dimension):  # never seen, yet possible
        design = _from_textbook(rows, span, design, stream)
    support = np.nonzero(design.weights)[0]
    order = support[np.argsort(design.indices[support])]
    weights = design.weights[order] / design.weights[order].sum()
    for returned in (indices := design.indices[order], weights):
        returned.setflags(write=False)
    return CoreSet(indices, weights, design.max_leverage, span.rank, design.reads / rows.count)


@dataclass(frozen=True, eq=False)
class _Design:
    """Weights [m] on a pool of rows, their indices [m] and coordinates [m,r]; reads counts rows looked at."""

    indices: np.ndarray
    pool: np.ndarray
    weights: np.ndarray
    max_leverage: float
    reads: int


def _started(indices: np.ndarray, pool: np.ndarray, reads: int) -> _Design:
    """The design on this pool, from scratch."""
    weights, leverage = pool_design(pool, start_weights(pool), POOL_TARGET * pool.shape[1])
    return _Design(indices, pool, weights, leverage, reads)


def _continued(indices: np.ndarray, pool: np.ndarray, weights: np.ndarray, reads: int) -> _Design:
    """The design on this pool, from weights that were good on its first rows."""
    padded = np.concatenate([weights, np.zeros(len(indices) - len(weights))])
    weights, leverage = pool_design(pool, padded, POOL_TARGET * pool.shape[1])
    return _Design(indices, pool, weights, leverage, reads)


def _cover(
    rows: FeatureRows,
    numbers: np.ndarray | None,
    span: FeatureSpan,
    sample: np.ndarray,
    design: _Design,
    restart: float,
) -> _Design:
    """A design under which every one of the rows has leverage <= LIMIT * rank, and its largest leverage.

    numbers [n] are the rows' indices where they are themselves a sample. Between two scans a row's bound
    grows by at most the largest eigenvalue of V_new^-1 V_old, so most rows need no second look.
    """
    rank = span.rank
    upper = np.full(rows.count, np.inf)
    wanted, before = None, None
    while True:
        factor = design_factor(design.pool, design.weights)
        inverse = triangular_inverse(factor)
        threshold = design.max_leverage * (1 + TIE)
        if before is not None:
            upper *= np.linalg.norm(before @ inverse, 2) ** 2 * (1 + TIE)
            wanted = np.nonzero(~(upper <= threshold))[0]
            wanted = None if len(wanted) > rows.count // 2 else wanted
        white = whitening(span.scales, span.basis @ inverse, sample[::3], threshold)
        reads = design.reads + scan_leverages(rows, white, threshold, upper, wanted)
        above = np.nonzero(upper > threshold)[0]
        worst = max(design.max_leverage, float(upper[above].max(initial=0.0)))
        if worst <= LIMIT * rank * (1 - TIE):
            return _Design(design.indices, design.pool, design.weights, worst, reads)
        new = above[np.argsort(-upper[above], kind="stable")[: 8 * rank]]
        numbered = new if numbers is None else numbers[new]
        fresh = ~np.isin(numbered, design.indices)
        if not fresh.any():
            allowed = "features whose leverages can be told apart in double precision"
            raise InputError("features", "rows that are dependent up to rounding", allowed)
        indices = np.concatenate([design.indices, numbered[fresh]])
        pool = np.concatenate([design.pool, span.coordinates(rows.pick(new[fresh]))])
        before = factor
        if worst <= restart * rank and rank > 1:
            design = _continued(indices, pool, design.weights, reads)
            if np.count_nonzero(design.weights) <= support_bound(sample.shape[1]):
                continue
        design = _started(indices, pool, reads)


def _from_textbook(
    rows: FeatureRows, span: FeatureSpan, design: _Design, stream: np.random.Generator
) -> _Design:
    """A design within the limit whose support is bounded by a theorem; design serves to whiten the rows."""
    inverse = triangular_inverse(design_factor(design.pool, design.weights))
    to_span = span.scales[:, None] * (span.basis @ inverse)
    limit = LIMIT * span.rank * (1 - TIE)
    indices, weights, leverage, passes = textbook_design(rows, to_span, limit, stream)
    pool = span.coordinates(rows.pick(indices))
    return _Design(indices, pool, weights, leverage, design.reads + passes * rows.count)


def _sample(rows: FeatureRows, size: int, stream: np.random.Generator) -> np.ndarray:
    """Indices of size distinct rows, or of all rows if there are not more."""
    if rows.count <= size:
        return np.arange(rows.count)
    return np.sort(stream.choice(rows.count, size, replace=False, shuffle=False))
