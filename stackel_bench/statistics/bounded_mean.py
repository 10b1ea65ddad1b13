"""Intervals for the mean of bounded variables, which hold also where almost all values are equal.

Gaffke's (2005) bound. Put an (n+1)-th value at the upper end of the range and give the n+1 values random
weights, uniform on the simplex; the upper limit is the 97.5 % quantile of the weighted mean, the lower limit
its mirror image. It depends on the values only, not on their order. For variables that are 0 or 1 it *is*
the Clopper-Pearson interval; it is never wider than Hoeffding's; for many values it becomes the normal one.

That it covers for every law on the range is proved for laws on the two ends (Clopper-Pearson) and for n = 1
(Markov), and conjectured otherwise: no counterexample is known (Learned-Miller and Thomas 2019), and none
turned up among the laws that the tests and benchmarks/intervals.py enumerate. Betting intervals
(Waudby-Smith and Ramdas 2024) are proved for every law, but wider, and depend on the order of the values;
benchmarks/README.md has the widths.
"""

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench.errors import InputError
from stackel_bench.statistics.binomial import CONFIDENCE
from stackel_bench.statistics.dirichlet_mean import upper_quantile
from stackel_bench.tolerances import VALUE


def mean_interval(
    values: ArrayLike, low: float, high: float, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Limits of the mean of independent variables of one law on [low, high], from their values [n]."""
    column = np.asarray(values, dtype=float)
    if column.ndim != 1:
        raise InputError("values", column.shape, "one value per replicate")
    lower, upper = mean_intervals(column[:, None], low, high, confidence)
    return float(lower[0]), float(upper[0])


def mean_intervals(
    values: ArrayLike, low: float, high: float, confidence: float = CONFIDENCE
) -> tuple[np.ndarray, np.ndarray]:
    """Limits (low [rungs], high [rungs]) of the mean of each column of values [replicates, rungs]."""
    table = np.asarray(values, dtype=float)
    if table.ndim != 2 or table.shape[0] == 0 or not np.isfinite(table).all():
        raise InputError("values", table.shape, "finite numbers, at least one replicate")
    if not 0 < confidence < 1:
        raise InputError("confidence", confidence, "a number in (0, 1)")
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise InputError("low, high", (low, high), "finite numbers with low <= high")
    rounding = VALUE * max(1.0, high - low, abs(low), abs(high))
    if table.size and (table.min() < low - rounding or table.max() > high + rounding):
        raise InputError("values", (table.min(), table.max()), f"numbers in [{low:g}, {high:g}]")
    # Values beyond an end by a rounding error move that end, so that nothing is clipped.
    low, high = min(low, float(table.min(initial=low))), max(high, float(table.max(initial=high)))
    if low == high:
        return np.full(table.shape[1], low), np.full(table.shape[1], high)
    tail, width = (1.0 - confidence) / 2, high - low
    lower, upper = np.empty(table.shape[1]), np.empty(table.shape[1])
    for rung in range(table.shape[1]):
        column = np.sort(table[:, rung])
        upper[rung] = low + width * upper_quantile((column - low) / width, tail)
        lower[rung] = high - width * upper_quantile((high - column[::-1]) / width, tail)
    return lower, upper
