"""Leverages of all feature rows under one design: bounds for most rows, exact values where they matter.

Bounds may have other last bits on another processor, exact values have not. A bound only ever settles that
the exact value is at most the threshold, so the rows above it and their values are the same everywhere.
"""

from dataclasses import dataclass

import numpy as np

from stackel_bench.planning.design.feature_products import squared_lengths
from stackel_bench.planning.design.rows import FeatureRows, reject_non_finite
from stackel_bench.tolerances import FLOAT32_ROUNDING, FLOAT32_SPREAD

FLOAT32_RANGE = 2.0**40  # column sizes beyond it could overflow or vanish in float32: no bound then


@dataclass(frozen=True, eq=False)
class LeverageBound:
    """lev(phi) <= (1 + FLOAT32_SPREAD) |x @ directions|^2 + remainder |x|^2 for x = float32(phi) * scales."""

    scales: np.ndarray | None  # [d] float32, None for ones
    directions: np.ndarray  # [d,k] float32
    remainder: float


class _BoundBuffers:
    """A bound evaluated chunk after chunk in the same memory; fresh arrays cost as much as the products."""

    def __init__(self, bound: LeverageBound) -> None:
        self._bound = bound
        self._reserve(0)

    def _reserve(self, size: int) -> None:
        dimension, kept = self._bound.directions.shape
        self._scaled = np.empty((size, dimension), dtype=np.float32)
        self._projected = np.empty((size, kept), dtype=np.float32)

    def of(self, block: np.ndarray) -> np.ndarray:
        """Upper bounds [m] of the leverages of rows [m,d]."""
        size = len(block)
        if size > len(self._scaled):
            self._reserve(size)
        scaled, projected = self._scaled[:size], self._projected[:size]
        scaled[...] = block
        if self._bound.scales is not None:
            scaled *= self._bound.scales
        np.matmul(scaled, self._bound.directions, out=projected)
        values = np.einsum("ij,ij->i", projected, projected).astype(np.float64)
        values *= 1 + FLOAT32_SPREAD
        norms = np.einsum("ij,ij->i", scaled, scaled).astype(np.float64)
        norms *= self._bound.remainder
        values += norms
        return np.asarray(values)


@dataclass(frozen=True, eq=False)
class Whitening:
    """The design as a map: lev(phi) = |phi @ exact|^2, and the cheapest bound for it."""

    exact: np.ndarray  # [d,r]
    bound: LeverageBound | None

    def leverages(self, block: np.ndarray) -> np.ndarray:
        """Exact leverages [m] of rows [m,d]."""
        return squared_lengths(block, self.exact)


def whitening(scales: np.ndarray, map_scaled: np.ndarray, sample: np.ndarray, threshold: float) -> Whitening:
    """The whitening of a design with lev = |(phi * scales) @ map_scaled|^2, its bound fit to a sample [m,d].

    M = map map^T has eigenvalues s_1^2 >= s_2^2 >= ...; the k largest are kept and the others raised to the
    next one, hence M <= sum_{i<=k} (s_i^2 - s_{k+1}^2) e_i e_i^T + s_{k+1}^2 I. The k with the least expected
    work is taken: k products per row, and all in double precision for rows that the bound does not settle.
    """
    dimension, rank = map_scaled.shape
    exact = scales[:, None] * map_scaled
    vectors, singular, _ = np.linalg.svd(map_scaled, full_matrices=False)
    eigenvalues = np.append(singular**2, 0.0)
    if max(scales.max(), 1 / scales.min()) > FLOAT32_RANGE:
        return Whitening(exact, None)
    # Rounding of x, of the directions and of their products: |error| <= unit |x| |directions|_F.
    unit = 2 * (dimension + 8) * FLOAT32_ROUNDING
    rounding = (
        (1 + 1 / FLOAT32_SPREAD) * unit**2 * (np.cumsum(eigenvalues) - np.arange(1, rank + 2) * eigenvalues)
    )
    remainders = eigenvalues * (1 + FLOAT32_SPREAD) + rounding
    kept = _least_work(((sample * scales) @ vectors) ** 2, eigenvalues, remainders, threshold)
    if kept is None:
        return Whitening(exact, None)
    directions = vectors[:, :kept] * np.sqrt(eigenvalues[:kept] - eigenvalues[kept])
    single = None if (scales == 1).all() else scales.astype(np.float32)
    return Whitening(exact, LeverageBound(single, directions.astype(np.float32), float(remainders[kept])))


def _least_work(
    squares: np.ndarray, eigenvalues: np.ndarray, remainders: np.ndarray, threshold: float
) -> int | None:
    """How many directions to keep, by the bound's success on a sample; None if exact leverages cost less.

    squares [m,r] are the sample's squared coordinates along the eigenvectors, of rows inside the span.
    """
    rank = squares.shape[1]
    norms = squares.sum(axis=1)
    kept = np.arange(rank + 1)
    before = np.column_stack([np.zeros((len(squares), 2)), squares]).cumsum(axis=1)[:, 1:]
    weighted = np.column_stack([np.zeros(len(squares)), squares * eigenvalues[:-1]]).cumsum(axis=1)
    bounds = (1 + FLOAT32_SPREAD) * (weighted - before * eigenvalues) + norms[:, None] * remainders
    unsettled = np.mean(~(bounds <= threshold), axis=0)
    work = kept + 40.0 + 3.0 * rank * unsettled  # in float32 products per coordinate, measured
    work[(kept % 8 > 0) & (kept < rank)] = np.inf  # products come in groups of eight
    best = int(work.argmin())
    return best if work[best] < 2.0 * rank + 5.0 else None


def scan_leverages(
    rows: FeatureRows, design: Whitening, threshold: float, upper: np.ndarray, wanted: np.ndarray | None
) -> int:
    """How many rows were read; upper [n] receives leverages where they exceed threshold, bounds elsewhere.

    wanted are increasing row indices, None stands for all; other rows keep their entry. Non-finite features
    raise an InputError.
    """
    buffers = None if design.bound is None else _BoundBuffers(design.bound)
    read = 0
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if wanted is None:
            for start, block in rows.chunks():
                values = _values(design, buffers, block, threshold)
                upper[start : start + len(block)] = values
                if not np.isfinite(values.sum()):
                    _settle_odd(rows, block, np.arange(start, start + len(block)), upper)
                read += len(block)
        else:
            for indices, block in rows.picked(wanted):
                upper[indices] = values = _values(design, buffers, block, threshold)
                if not np.isfinite(values.sum()):
                    _settle_odd(rows, block, indices, upper)
                read += len(block)
    return read


def _values(
    design: Whitening, buffers: _BoundBuffers | None, block: np.ndarray, threshold: float
) -> np.ndarray:
    """Bounds where they are at most threshold, exact leverages elsewhere."""
    if buffers is None:
        return design.leverages(block)
    values = buffers.of(block)
    unsettled = np.nonzero(~(values <= threshold))[0]
    if 2 * len(unsettled) > len(block):
        return design.leverages(block)
    if len(unsettled):
        values[unsettled] = design.leverages(block.take(unsettled, axis=0))
    return values


def _settle_odd(rows: FeatureRows, block: np.ndarray, indices: np.ndarray, upper: np.ndarray) -> None:
    """Reject non-finite features; a finite row too large for this design counts as infinite: it is added."""
    reject_non_finite(rows, block, indices)
    odd = indices[~np.isfinite(upper[indices])]
    upper[odd] = np.inf
