"""The span of feature rows: column scales and an orthonormal basis that contains every row."""

from dataclasses import dataclass

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.planning.design.feature_products import products, squared_lengths
from stackel_bench.planning.design.rows import FeatureRows, reject_non_finite
from stackel_bench.planning.design.triangular import condition, triangular_factor, triangular_inverse
from stackel_bench.tolerances import FLOAT_STEP, ROUNDING_UNITS, WORST_CONDITION

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
        return int(self.basis.shape[1])

    def coordinates(self, rows: np.ndarray) -> np.ndarray:
        """Coordinates [k,r] of rows [k,d]."""
        scaled = rows * self.scales
        return scaled if self.passes == 0 else products(scaled, self.basis)


def feature_span(rows: FeatureRows, sample: np.ndarray) -> FeatureSpan:
    """The span of all rows; without a pass over them if the sample [m,d] clearly spans R^d already."""
    largest = np.abs(sample).max(axis=0)
    unit = np.where(largest > 0, largest, 1.0)  # squares of the ratios can neither overflow nor all vanish
    scales = _power_of_two_inverse(unit * np.sqrt(np.mean((sample / unit) ** 2, axis=0)))
    # The size, in units of the largest features, below which a direction is rounding.
    tolerance = max(ROUNDING_UNITS, rows.dimension) * FLOAT_STEP
    tolerance += 8 * rows.precision if rows.precision > FLOAT_STEP else 0.0
    if len(sample) >= rows.dimension:
        factor = triangular_factor(sample * scales)
        if condition(factor, triangular_inverse(factor)) <= min(WORST_CONDITION, 0.1 / tolerance):
            return FeatureSpan(scales, np.eye(rows.dimension), np.empty(0, dtype=np.int64), 0)
    return _span_by_passes(rows, sample, tolerance)


def _span_by_passes(rows: FeatureRows, sample: np.ndarray, tolerance: float) -> FeatureSpan:
    """The span by two passes: one for the scales, one that extends the basis where a row leaves it.

    What is outside by less than the tolerance is rounding. A direction above it belongs to the span even if
    it is too small for a design, which then refuses it: nothing that matters is dropped in silence.
    """
    largest = np.zeros(rows.dimension)
    for where, block in rows.picked():
        size = np.maximum(block.max(axis=0), -block.min(axis=0))
        if not np.isfinite(size).all():
            reject_non_finite(rows, block, where)
        np.maximum(largest, size, out=largest)
    scales = _power_of_two_inverse(largest)
    basis, complement, chosen = _span_of(sample * scales, tolerance)
    kept = (sample * scales)[chosen]
    extra: list[int] = []
    start = 0
    for _, block in rows.picked():
        scaled = block * scales
        while complement.shape[1]:
            outside = squared_lengths(scaled, complement)
            worst = int(outside.argmax())
            if outside[worst] <= tolerance**2:
                break
            # The rows kept so far are taken anew: one that shows a direction better may replace another.
            extra.append(start + worst)
            kept = np.vstack([kept, scaled[worst]])
            basis, complement, chosen = _span_of(kept, tolerance)
            kept = kept[chosen]
        start += len(block)
    return FeatureSpan(scales, basis, np.array(extra, dtype=np.int64), 2)


def _span_of(rows: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Orthonormal basis [d,r] and complement [d,d-r] of the rows' span, and which rows gave it."""
    complement = np.eye(rows.shape[1])
    basis, outside, chosen = complement[:, :0], rows, []
    while complement.shape[1]:
        lengths = (outside * outside).sum(axis=1)
        worst = int(lengths.argmax()) if len(lengths) else -1
        if worst < 0 or lengths[worst] <= tolerance**2:
            break
        # Reflect the complement so that its first direction is this row's; that one moves to the basis.
        mirror = outside[worst].copy()
        mirror[0] += np.sqrt(lengths[worst]) if mirror[0] >= 0 else -np.sqrt(lengths[worst])
        mirror /= np.sqrt((mirror * mirror).sum())
        turned = complement - 2 * products(complement, mirror[:, None]) * mirror
        outside = (outside - 2 * products(outside, mirror[:, None]) * mirror)[:, 1:]
        basis, complement = np.column_stack([basis, turned[:, 0]]), turned[:, 1:]
        chosen.append(worst)
    return basis, complement, chosen


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
