"""Confidence on means in [0,1] and on laws that holds at every time: mixtures of likelihood ratios.

n rewards with sum S: L(mu) = ln B(S+1/2, n-S+1/2) - ln pi - S ln mu - (n-S) ln(1-mu). exp L is a mixture of
nonnegative supermartingales at the true mean, as E e^(lX) <= 1 - mu + mu e^l on [0,1], so by Ville's
inequality L ever exceeds ln(1/a) with probability a at most. For two streams L1 + L2 does the same.

As written L cancels: at n = 10^14 it is wrong by 0.2. With Stirling's formula L(mu) = n kl(S/n, mu) - price,
price = ln(pi n / 2)/2 - r(S) - r(n-S) + s(n), where the remainders r and s are small and nothing cancels. So
the largest mean, or difference of means, is the largest sum of offsets d whose divergences n kl(m, m + d) sum
to the budget ln(1/a) + prices at most. By weak duality offsets(t) + (budget - divergences(t)) / t is at least
that for every multiplier t > 0, where offsets(t) are a quadratic's roots: whatever t a search ends with, the
bound is on the wide side.

The same for a law over S outcomes with counts c, n in total. The Dirichlet(1/2, ..., 1/2) mixture over laws q
of prod (q/p)^c is a nonnegative martingale at the true law p with mean 1. In terms of the empirical law:
n KL(c/n, p) <= ln(1/a) + price for all n together, with probability 1 - a,

    price = ln G(n + S/2) - ln G(S/2) - S ln(2)/2 - (n ln n - n) - sum over outcomes of r(c),

of which the price of a mean is the case S = 2. It grows as (S-1)/2 ln n: half of (S-1) ln(e (1 + n/(S-1))),
the threshold of Kaufmann et al. (2021), and always below.
"""

import math

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.statistics.elementary import log
from stackel_bench.tolerances import FIXED_POINT, FLOAT_STEP, ROUNDING_UNITS

OUTWARDS = ROUNDING_UNITS * FLOAT_STEP  # added to every bound: more than all roundings of means in [0,1]
_STEPS = 60  # of the search for the multiplier, which takes about 5
_ASYMPTOTIC = 12.0  # Stirling's series has 16 digits from here on


@kernel
def price(total: float, pulls: float) -> float:
    """How far the mixture stays behind the best of its likelihood ratios: n kl - L, never negative."""
    logs = 0.5 * log(0.5 * math.pi * pulls)
    return logs - half_remainder(total) - half_remainder(pulls - total) + remainder(pulls)


@kernel
def half_remainder(x: float) -> float:
    """ln Gamma(x + 1/2) - (x ln x - x + ln(2 pi)/2) for x >= 0, by the series from _ASYMPTOTIC on."""
    found, y = 0.0, x
    while y < _ASYMPTOTIC:
        found -= log(y + 0.5)
        y += 1.0
    if y > x:
        found += y * log(y) - y - (x * log(x) - x if x > 0.0 else 0.0)
    z = 1.0 / (y * y)
    series = -1.0 / 24 + z * (7.0 / 2880 + z * (-31.0 / 40320 + z * (127.0 / 215040 - z * 511.0 / 608256)))
    return found + series / y


@kernel
def remainder(n: float) -> float:
    """ln n! - (n ln n - n + ln(2 pi n)/2) for n > 0."""
    found, y = 0.0, n
    while y < _ASYMPTOTIC:
        y += 1.0
        found -= log(y)
    if y > n:
        found += (y + 0.5) * log(y) - y - ((n + 0.5) * log(n) - n)
    z = 1.0 / (y * y)
    series = 1.0 / 12 + z * (-1.0 / 360 + z * (1.0 / 1260 + z * (-1.0 / 1680 + z / 1188)))
    return found + series / y


@kernel
def excess(u: float) -> float:
    """u - ln(1 + u), with all its digits also where u is small."""
    if u <= -1.0:
        return math.inf
    if u < -0.4 or u > 0.6:
        return u - log(1.0 + u)
    t = u / (2.0 + u)  # ln(1 + u) = 2 artanh t, and u - 2t = ut
    square, series = t * t, 0.0
    for degree in range(29, 1, -2):
        series = series * square + 1.0 / degree
    return t * (u - 2.0 * square * series)


@kernel
def divergence_at(mean: float, rest: float, offset: float) -> float:
    """kl(m, m + d) of Bernoulli laws, rest = 1 - m: m e(d/m) + (1-m) e(-d/(1-m)), both terms nonnegative."""
    found = mean * excess(offset / mean) if mean > 0.0 else offset
    return found + (rest * excess(-offset / rest) if rest > 0.0 else -offset)


@kernel
def _offset(mean: float, rest: float, pulls: float, t: float) -> tuple[float, float]:
    """The offset d >= 0 at which n kl(m, m + d) has slope t, and how fast it grows with t."""
    variance, skew = mean * rest, rest - mean
    linear = pulls - t * skew
    root = math.sqrt(linear * linear + 4.0 * t * t * variance)
    d = 2.0 * t * variance / (linear + root) if linear > 0.0 else (root - linear) / (2.0 * t)
    d = min(d, rest)
    return d, (mean + d) * (rest - d) / root if root > 0.0 else 0.0


@kernel
def largest_offset(
    mean: float, rest: float, pulls: float, mean2: float, rest2: float, pulls2: float, budget: float
) -> float:
    """At least max d1 + d2 where n1 kl(m1, m1 + d1) + n2 kl(m2, m2 + d2) <= budget; pulls2 = 0: one only."""
    if rest <= 0.0 and (pulls2 == 0.0 or rest2 <= 0.0):
        return 0.0
    spread = (mean * rest + 1.0 / pulls) / pulls
    if pulls2 > 0.0:
        spread += (mean2 * rest2 + 1.0 / pulls2) / pulls2
    t, low, high = math.sqrt(2.0 * budget / spread), 0.0, math.inf
    best = rest + (rest2 if pulls2 > 0.0 else 0.0)
    for _ in range(_STEPS):
        d, growth = _offset(mean, rest, pulls, t)
        used = pulls * divergence_at(mean, rest, d)
        if pulls2 > 0.0:
            d2, growth2 = _offset(mean2, rest2, pulls2, t)
            used += pulls2 * divergence_at(mean2, rest2, d2)
            d, growth = d + d2, growth + growth2
        if used < math.inf:
            best = min(best, d + (budget - used) / t)
        if abs(used - budget) <= FIXED_POINT * budget:
            break
        if used < budget:
            low = t
        else:
            high = t
        # Newton's step for the square root of what is used, which is almost linear in t.
        slope = t * growth
        step = (
            2.0 * (math.sqrt(used * budget) - used) / slope if 0.0 < used < math.inf and slope > 0.0 else 0.0
        )
        t = (
            t + step
            if low < t + step < high and step != 0.0
            else (2.0 * t if high == math.inf else 0.5 * (low + high))
        )
    return best


@kernel
def mean_offsets(totals: np.ndarray, pulls: np.ndarray, level: float) -> tuple[np.ndarray, np.ndarray]:
    """How far each mean [A,B] may be below and above its estimate, at ln(1/a) = level; wide by OUTWARDS."""
    below, above = np.empty(pulls.shape), np.empty(pulls.shape)
    for a in range(pulls.shape[0]):
        for b in range(pulls.shape[1]):
            n = pulls[a, b]
            mean, rest = totals[a, b] / n, (n - totals[a, b]) / n
            budget = level + price(totals[a, b], n)
            below[a, b] = largest_offset(rest, mean, n, 0.0, 0.0, 0.0, budget) + OUTWARDS
            above[a, b] = largest_offset(mean, rest, n, 0.0, 0.0, 0.0, budget) + OUTWARDS
    return below, above


@kernel
def difference_offsets(totals: np.ndarray, pulls: np.ndarray, level: float) -> np.ndarray:
    """How far mean p minus mean q of each row [A,B,B] may be above its estimate, at ln(1/a) = level."""
    rows, columns = pulls.shape
    found = np.zeros((rows, columns, columns))
    prices = np.empty(columns)
    for a in range(rows):
        for p in range(columns):
            prices[p] = price(totals[a, p], pulls[a, p])
        for p in range(columns):
            n = pulls[a, p]
            mean, rest = totals[a, p] / n, (n - totals[a, p]) / n
            for q in range(columns):
                if p != q:
                    n2 = pulls[a, q]
                    mean2, rest2 = totals[a, q] / n2, (n2 - totals[a, q]) / n2
                    budget = level + prices[p] + prices[q]
                    found[a, p, q] = largest_offset(mean, rest, n, rest2, mean2, n2, budget) + OUTWARDS
    return found


@kernel
def law_price(counts: np.ndarray) -> float:
    """How far the mixture stays behind the best of its likelihood ratios; counts [S] are not all 0."""
    outcomes, n, found = counts.size, 0.0, 0.0
    for k in range(outcomes):
        count = float(counts[k])
        n += count
        found -= half_remainder(count)
    # ln G(n + S/2) from ln G(n + 1) or ln G(n + 1/2), whose remainders nothing cancels; the same of G(S/2).
    if outcomes % 2 == 0:
        found += remainder(n) + 0.5 * log(0.5 * math.pi * n)
        shift = 1.0
    else:
        found += half_remainder(n)
        shift = 0.5
    while shift < 0.5 * outcomes:
        found += log((n + shift) / (2.0 * shift))
        shift += 1.0
    return found


@kernel
def law_radii(counts: np.ndarray, level: float) -> np.ndarray:
    """KL(counts/n, p) is at most this [H,S,B], for counts [H,S,B,S] and ln(1/a) = level; inf where n = 0."""
    radii = np.full(counts.shape[:3], np.inf)
    for h, s, b in np.ndindex(radii.shape):
        n = counts[h, s, b].sum()
        if n > 0:
            radii[h, s, b] = (level + law_price(counts[h, s, b])) / n
    return radii
