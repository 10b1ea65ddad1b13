"""The span of feature rows: column scales and an orthonormal basis that contains every row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.planning.design_rows import FeatureRows, reject_non_finite

SPAN_TOLERANCE = 1e-10  # a row whose part outside the span is smaller, relative to its norm, counts as inside

LARGEST_EXPONENT = 900  # beyond it products of a feature and a scaled weight overflow


@dataclass(frozen=True, eq=False)
class FeatureSpan:
    """A row's coordinates are (phi * scales) @ basis; extra_rows are indices that complete the sample."""

    scales: np.ndarray  # [d], powers of two
    basis: np.ndarray  # [d,r], orthonormal columns
    extra_rows: np.ndarray  # [k]
    passes: int

    @property
    def rank(self) -> int:
        """Dimension r of the span."""
        return self.basis.shape[1]

    def coordinates(self, rows: np.ndarray) -> np.ndarray:
        """Coordinates [k,r] of rows [k,d]."""
        return (rows * self.scales) @ self.basis


def feature_span(rows: FeatureRows, sample: np.ndarray) -> FeatureSpan:
    """The span of all rows; without a pass over them if the sample [m,d] clearly spans R^d already."""
    largest = np.abs(sample).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)  # squares of the ratios can neither overflow nor all vanish
    scales = _power_of_two_inverse(unit * np.sqrt(np.mean((sample / unit) ** 2, axis=0)))
    tolerance = max(SPAN_TOLERANCE, 1e3 * rows.precision)
    if len(sample) >= rows.dimension:
        singular = np.linalg.svd(sample * scales, compute_uv=False)
        if singular[-1] > tolerance * singular[0]:
            return FeatureSpan(scales, np.eye(rows.dimension), np.empty(0, dtype=np.int64), 0)
    return _span_by_passes(rows, sample, tolerance)


def _span_by_passes(rows: FeatureRows, sample: np.ndarray, tolerance: float) -> FeatureSpan:
    """The span by two passes: one for the scales, one that extends the basis where a row leaves it.

    Every row is inside when it is passed and the basis only grows, so one pass is enough.
    """
    largest = np.zeros(rows.dimension)
    for start, block in rows.chunks():
        size = np.maximum(block.max(axis=0), -block.min(axis=0))
        if not np.isfinite(size).all():
            reject_non_finite(rows, block, np.arange(start, start + len(block)))
        np.maximum(largest, size, out=largest)
    scales = _power_of_two_inverse(largest)
    basis, complement = np.empty((rows.dimension, 0)), np.eye(rows.dimension)
    basis, complement, _ = _extend(basis, complement, sample * scales, tolerance)
    extra: list[int] = []
    for start, block in rows.chunks():
        if complement.shape[1] == 0:
            break
        basis, complement, added = _extend(basis, complement, block * scales, tolerance)
        extra += [start + index for index in added]
    return FeatureSpan(scales, basis, np.array(extra, dtype=np.int64), 2)


def _extend(
    basis: np.ndarray, complement: np.ndarray, block: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Basis and complement after adding rows of the block, largest relative residual first, and which."""
    norms = np.sqrt(np.einsum("ij,ij->i", block, block))
    added: list[int] = []
    outside = block @ complement
    while complement.shape[1]:
        residuals = np.sqrt(np.einsum("ij,ij->i", outside, outside))
        worst = int(np.argmax(np.divide(residuals, norms, out=np.zeros_like(norms), where=norms > 0)))
        if residuals[worst] <= tolerance * norms[worst]:
            break
        # Rotate the complement so that its first direction is this row's; that one moves to the basis.
        rotation = np.linalg.qr(outside[worst][:, None], mode="complete")[0]
        turned = complement @ rotation
        basis = np.column_stack([basis, turned[:, :1]])
        complement = turned[:, 1:]
        outside = (outside @ rotation)[:, 1:]
        added.append(worst)
    return basis, complement, added


def _power_of_two_inverse(sizes: np.ndarray) -> np.ndarray:
    """1/size rounded to a power of two (scaling is then exact), one for all columns of about equal size."""
    exponents = np.frexp(np.where(sizes > 0, sizes, 1.0))[1]
    odd = np.nonzero(np.abs(exponents) > LARGEST_EXPONENT)[0]
    if len(odd):
        allowed = f"0 or between 2^-{LARGEST_EXPONENT} and 2^{LARGEST_EXPONENT}"
        raise InputError(f"size of features[:,{odd[0]}]", float(sizes[odd[0]]), allowed)
    if exponents.max() - exponents.min() <= 1:
        exponents = np.zeros_like(exponents) if 0 in exponents else np.full_like(exponents, exponents.max())
    return np.ldexp(1.0, -exponents)
