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

import math

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.kernel import kernel
from stackel_bench.statistics.binomial import CONFIDENCE
from stackel_bench.statistics.elementary import exp, log
from stackel_bench.tolerances import INTEGRAL_REST, QUANTILE_ERROR, QUANTILE_WIDTH, VALUE


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
    checks.real("confidence", confidence, least=0, most=1, open_least=True, open_most=True)
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


_STEP = 0.15
_NODES = 8  # of the trapezoidal rule, taken together so that the processor can vectorise
_BLOCKS = 16
_LARGE = 1e120  # a node whose product is larger contributes nothing
_CHECK = 16  # factors between two looks at the products


@kernel
def upper_quantile(values: np.ndarray, tail: float) -> float:
    """What the weighted mean of values [n] in [0, 1] and of one more at 1 exceeds with probability tail."""
    least, mean = 1.0, 1.0
    for value in values:
        mean += value
        least = min(least, value)
    if least == 1.0:
        return 1.0
    count = len(values) + 1.0
    mean /= count
    spread = (1.0 - mean) * (1.0 - mean)
    for value in values:
        spread += (value - mean) * (value - mean)
    # sqrt(-ln P) is nearly linear in the point, so secants find it; a bracket keeps them from leaving.
    goal = math.sqrt(-log(tail))
    low, high = least, 1.0
    point = mean + min(1.1 * goal * math.sqrt(spread) / count, 0.5 * (1.0 - mean))
    last, error = mean, math.sqrt(-log(tail_probability(values, mean))) - goal
    for _ in range(100):
        reached = tail_probability(values, point)
        found = math.sqrt(-log(reached)) - goal if 0.0 < reached < 1.0 else math.copysign(goal, 0.5 - reached)
        if found < 0.0:
            low = point
        else:
            high = point
        if abs(found) < QUANTILE_ERROR or high - low <= QUANTILE_WIDTH * high:
            break
        following = point - found * (point - last) / (found - error) if found != error else low
        last, error = point, found
        point = following if low < following < high else 0.5 * (low + high)
    return point


@kernel
def tail_probability(values: np.ndarray, point: float) -> float:
    """P(weighted mean of values [n] and 1 > point), for a point between the smallest value and 1.

    By contour integration. With independent exponential variables E_i, the weighted mean of z_0, ..., z_n
    exceeds t if and only if S = sum_i E_i (z_i - t) is positive, and P(S > 0) is the integral of M(s)/s,
    divided by 2 pi i, over a path from below to above that crosses the real axis between 0 and the first
    positive pole of the moment generating function M(s) = prod_i 1/(1 - s (z_i - t)). The path is a hyperbola
    through the saddle point of M(s)/s, bent as the path of steepest descent is there: s = saddle + scale (i
    sinh v + bend (cosh v - 1)). On it the trapezoidal rule in v converges geometrically.
    """
    count = len(values) + 1
    offsets = np.empty(count)
    for i in range(count - 1):
        offsets[i] = values[i] - point
    offsets[count - 1] = 1.0 - point
    largest = 1.0 / (1.0 - point)
    saddle = _saddle(offsets, largest)
    scale = min(saddle, largest - saddle)
    factor, power = 1.0 / saddle, 0  # M(saddle)/saddle = factor * 2**power
    second, third = 1.0 / saddle**2, -2.0 / saddle**3  # derivatives of ln(M(s)/s)
    for i in range(count):
        shrink = 1.0 - saddle * offsets[i]
        offsets[i] /= shrink
        second += offsets[i] * offsets[i]
        third += 2.0 * offsets[i] * offsets[i] * offsets[i]
        factor /= shrink
        if factor < 1e-150:
            factor, power = factor * 2.0**500, power - 500
        elif factor > 1e150:
            factor, power = factor * 2.0**-500, power + 500
    bend = min(max(scale * third / (3.0 * second), -1.0), 1.0)
    total = _integral(offsets, saddle, scale, bend)
    if math.isnan(total):
        total = _integral(offsets, saddle, scale, 0.0)
    return math.ldexp(factor * total / math.pi, power)


@kernel
def _saddle(offsets: np.ndarray, largest: float) -> float:
    """Where M(s)/s is smallest on (0, largest), to a hundredth of the distance from the ends: enough."""
    low, high = 0.0, largest
    point = 0.5 * largest
    for _ in range(100):
        slope, curvature = -1.0 / point, 1.0 / (point * point)
        for offset in offsets:
            term = offset / (1.0 - point * offset)
            slope += term
            curvature += term * term
        if slope < 0.0:
            low = point
        else:
            high = point
        step = slope / curvature
        if abs(step) < 1e-2 * min(point, largest - point):
            return point
        point -= step
        if point <= low or point >= high:
            point = 0.5 * (low + high)
    return point


@kernel
def _integral(ratios: np.ndarray, saddle: float, scale: float, bend: float) -> float:
    """The integral over v > 0 of Im(M(s)/s ds/dv), relative to M(s)/s at the saddle point.

    There 1 - s (z_i - t) is 1 - (s - saddle) ratios[i], relative to the same at the saddle point. NaN where
    M(s)/s is twice as large on the path as there: with thousands of values a bent path may rise, a straight
    one cannot, since no factor is larger on it.
    """
    real, imaginary = np.empty(_NODES), np.empty(_NODES)
    right, up, width = np.empty(_NODES), np.empty(_NODES), np.empty(_NODES)  # s - saddle; scale cosh v
    total = 0.5 * scale  # the node at v = 0, with its half weight
    for block in range(_BLOCKS):
        for q in range(_NODES):
            growth = exp(_STEP * (block * _NODES + q + 1))
            width[q] = 0.5 * scale * (growth + 1.0 / growth)
            up[q] = 0.5 * scale * (growth - 1.0 / growth)
            right[q] = bend * (width[q] - scale)
            real[q], imaginary[q] = 1.0 + right[q] / saddle, up[q] / saddle
        for first in range(0, len(ratios), _CHECK):
            for i in range(first, min(first + _CHECK, len(ratios))):
                ratio = ratios[i]
                for q in range(_NODES):
                    keep, turn = 1.0 - right[q] * ratio, up[q] * ratio
                    kept = real[q] * keep + imaginary[q] * turn
                    imaginary[q] = imaginary[q] * keep - real[q] * turn
                    real[q] = kept
            for q in range(_NODES):
                if abs(real[q]) + abs(imaginary[q]) > _LARGE:
                    real[q], imaginary[q] = math.inf, 0.0
        for q in range(_NODES):
            if abs(real[q]) + abs(imaginary[q]) < 0.5:
                return math.nan
        size = 0.0
        for q in range(_NODES):
            if math.isfinite(real[q]):
                square = real[q] * real[q] + imaginary[q] * imaginary[q]
                total += (width[q] * real[q] - bend * up[q] * imaginary[q]) / square
                size += width[q] / math.sqrt(square)
        if size < INTEGRAL_REST * abs(total):
            break
    return _STEP * total
