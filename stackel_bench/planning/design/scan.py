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


class LeverageBound:
    """lev(phi) <= (1 + FLOAT32_SPREAD) |x @ directions|^2 + remainder |x|^2 for x = float32(phi) * scales.

    Evaluated chunk after chunk in the same memory: fresh arrays cost as much as the products.
    """

    def __init__(self, scales: np.ndarray, directions: np.ndarray, remainder: float) -> None:
        self._scales = None if (scales == 1).all() else scales.astype(np.float32)
        self._directions = directions.astype(np.float32)
        self._remainder = remainder
        self._scaled, self._projected = (np.empty((0, size), np.float32) for size in directions.shape)

    def of(self, block: np.ndarray) -> np.ndarray:
        """Upper bounds [m] of the leverages of rows [m,d]."""
        size = len(block)
        if size > len(self._scaled):
            kept = self._directions.shape
            self._scaled, self._projected = (np.empty((size, width), np.float32) for width in kept)
        scaled, projected = self._scaled[:size], self._projected[:size]
        scaled[...] = block
        if self._scales is not None:
            scaled *= self._scales
        np.matmul(scaled, self._directions, out=projected)
        values = np.einsum("ij,ij->i", projected, projected).astype(np.float64)
        values *= 1 + FLOAT32_SPREAD
        norms = np.einsum("ij,ij->i", scaled, scaled).astype(np.float64)
        norms *= self._remainder
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
    return Whitening(exact, LeverageBound(scales, directions, float(remainders[kept])))


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
    read = 0
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for where, block in rows.picked(wanted):
            values = _values(design, block, threshold)
            upper[where] = values
            if not np.isfinite(values.sum()):
                # A finite row too large for this design counts as infinite: it is added.
                reject_non_finite(rows, block, where)
                upper[where] = np.where(np.isfinite(values), values, np.inf)
            read += len(block)
    return read


def _values(design: Whitening, block: np.ndarray, threshold: float) -> np.ndarray:
    """Bounds where they are at most threshold, exact leverages elsewhere."""
    if design.bound is None:
        return design.leverages(block)
    values = design.bound.of(block)
    unsettled = np.nonzero(~(values <= threshold))[0]
    if 2 * len(unsettled) > len(block):
        return design.leverages(block)
    if len(unsettled):
        values[unsettled] = design.leverages(block.take(unsettled, axis=0))
    return values
