"""The largest mean that a law within a Kullback-Leibler ball around another one can give to some values.

For laws q with KL(p,q) <= r and every t >= 0, with g = max V - V (also where p is 0), Jensen's inequality
sum p ln(q (t+g) / p) <= ln sum q (t+g) gives

    q.V = max V + t - sum q (t+g) <= max V + t - exp(sum p ln(t+g) - r).

The right-hand side is convex in t, and its minimum is the largest mean (q = p / (t+g), up to a factor, and
the rest of q, if any, where V is largest). So whatever t a search ends with, the bound is on the wide side.
As written it cancels where r is small and t large. With c = t + p.g and u = (t+g)/c - 1, whose mean is 0, it
is p.V + c (1 - exp(-r - sum p (u - ln(1+u)))), and nothing does.
"""

from __future__ import annotations

import math

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.statistics.elementary import exp, log
from stackel_bench.statistics.likelihood_mixture import excess
from stackel_bench.tolerances import FLOAT_STEP, ROUNDING_UNITS, SUM_TIE

OUTWARDS = ROUNDING_UNITS * FLOAT_STEP  # share of all that is added up: more than the roundings of one sum
_STEPS = 60  # of the search for t, which takes about 5


@kernel
def largest_mean(law: np.ndarray, values: np.ndarray, radius: float, sign: float) -> float:
    """At least max of sign * q.V over laws q [S] with KL(law, q) <= radius, which may be infinite.

    sign is 1 or -1; law >= 0 sums to 1 up to rounding.
    """
    top, mean, square, reached = -math.inf, 0.0, 0.0, False
    for k in range(values.size):
        top = max(top, sign * values[k])
    for k in range(values.size):
        gap = top - sign * values[k]
        mean += law[k] * gap
        square += law[k] * gap * gap
        reached = reached or (gap == 0.0 and law[k] > 0.0)
    if radius == math.inf or mean == 0.0:
        return top
    outwards = OUTWARDS + FLOAT_STEP * values.size  # the sums have that many terms
    best = top - mean
    room = outwards * (abs(top) + mean)
    if radius <= 0.0:
        return best + room
    low, high, least = 0.0, math.inf, mean
    t = math.sqrt(0.5 * max(square - mean * mean, SUM_TIE * square) / radius)
    if not reached:  # then t = 0 is possible, and best if the ball is large enough
        used, least, _ = _at(law, values, sign, top, mean, 0.0, radius)
        if used <= radius:
            return min(top, best + least * (1.0 + outwards) + room)
    for _ in range(_STEPS):
        if t <= outwards * mean:
            break  # the largest value itself, up to rounding
        used, rise, slope = _at(law, values, sign, top, mean, t, radius)
        least = min(least, rise)
        if abs(used - radius) <= SUM_TIE * radius or high - low <= SUM_TIE * low:
            break
        if used > radius:
            low = t
        else:
            high = t
        # Newton's step for 1/sqrt(used), which is almost linear in t.
        step = 2.0 * used * (1.0 - math.sqrt(used / radius)) / slope if used > 0.0 > slope else 0.0
        if low < t + step < high and step != 0.0:
            t += step
        else:
            t = 2.0 * t if high == math.inf else 0.5 * (low + high)
    return min(top, best + least * (1.0 + outwards) + room)


@kernel
def _at(
    law: np.ndarray, values: np.ndarray, sign: float, top: float, mean: float, t: float, radius: float
) -> tuple[float, float, float]:
    """At this t: KL(law, q) of q = law / (t+g) normalised, the bound minus law.V, the first one's slope."""
    centre = t + mean
    logs = tilt = inverse_square = total = 0.0
    for k in range(values.size):
        if law[k] > 0.0:
            gap = top - sign * values[k]
            ratio, u = (t + gap) / centre, (gap - mean) / centre
            if ratio <= 0.0:
                return math.inf, centre, 0.0
            logs += law[k] * (excess(u) if abs(u) < 0.4 else u - log(ratio))
            tilt += law[k] * u * u / ratio
            inverse_square += law[k] / ratio / ratio
            total += law[k]
    inverse = total + tilt  # sum law / ratio
    slope = (inverse - inverse_square / inverse) / centre
    return tilt - excess(tilt) - logs, centre * _one_minus_exp(radius + logs), slope


@kernel
def _one_minus_exp(y: float) -> float:
    """1 - exp(-y) for y >= 0, with all its digits also where y is small."""
    if y > 0.5:
        return 1.0 - exp(-y)
    series = 1.0
    for degree in range(15, 1, -1):
        series = 1.0 - series * y / degree
    return series * y
