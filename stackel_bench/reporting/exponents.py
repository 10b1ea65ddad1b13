"""Power laws of the sample complexity: fitted exponents that respect budgets that were never enough.

A ladder of budgets tells of a cell only that its sample complexity lies between two rungs (interval-
censored), above the last one (right-censored) or below the first one (left-censored). The model is
log N = intercept + exponent * log x + sigma * Gaussian, fitted by maximum likelihood; the interval of the
exponent is the set of values whose profile deviance is at most n log(1 + q^2/(n-2)), q the 97.5 % quantile
of Student's t with n-2 degrees of freedom: without censoring, that is exactly the textbook interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import log_ndtr
from scipy.stats import linregress, t

from stackel_bench.statistics.binomial import CONFIDENCE

_STEEPEST = 60.0  # limits are searched within this distance of the estimate
_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)
_Surface = Callable[[np.ndarray], tuple[float, np.ndarray]]


@dataclass(frozen=True)
class PowerLaw:
    """N = exp(intercept) * x**exponent; the interval is infinite on a side that the data leave open."""

    exponent: float
    low: float
    high: float
    intercept: float
    cells: int
    censored: int


def fit_power_law(x: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> PowerLaw | None:
    """The law behind sample complexities known to lie in (lower, upper]; equal limits mean known exactly.

    lower is 0 where even the smallest budget sufficed, upper is inf where no budget did. None where fewer
    than three values of x, or fewer than two of them with limits on both sides, leave nothing to fit.
    """
    x, lower, upper = (np.asarray(values, dtype=float) for values in (x, lower, upper))
    two_sided = (lower > 0) & np.isfinite(upper)
    if len(np.unique(x)) < 3 or len(np.unique(x[two_sided])) < 2:
        return None
    n, centre = len(x), float(np.log(x).mean())
    quantile = float(t.ppf(0.5 + CONFIDENCE / 2, n - 2))
    if (lower == upper).all():
        line = linregress(np.log(x), np.log(upper))
        width = quantile * float(line.stderr)
        return PowerLaw(line.slope, line.slope - width, line.slope + width, line.intercept, n, 0)
    with np.errstate(divide="ignore"):
        likelihood = _Likelihood(np.log(x) - centre, np.log(lower), np.log(upper))
    best, exponent, intercept = likelihood.maximum()
    threshold = n * math.log1p(quantile**2 / (n - 2))

    def excess(candidate: float) -> float:
        return 2 * (best - likelihood.profile(candidate)) - threshold

    return PowerLaw(
        exponent=exponent,
        low=_crossing(excess, exponent, -1.0),
        high=_crossing(excess, exponent, 1.0),
        intercept=intercept - exponent * centre,
        cells=n,
        censored=int((~two_sided).sum()),
    )


class _Likelihood:
    """Log-likelihood of interval-censored Gaussian residuals, y = intercept + exponent x + sigma Z.

    Written in (intercept, exponent, 1)/sigma it is concave (Burridge 1981), so any climb finds its maximum.
    """

    def __init__(self, x: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
        self.x, self.exact = x, lower == upper
        self.lower, self.upper = lower, upper
        inside = np.isfinite(lower) & np.isfinite(upper)
        middle = np.where(inside, (lower + upper) / 2, np.where(np.isfinite(lower), lower, upper))
        # Where a line passes through all intervals, the likelihood only grows as sigma shrinks: stop at a
        # quarter of the resolution, below which the ladder cannot tell.
        self.most_precision = 4 / float(np.median((upper - lower)[inside & ~self.exact]))
        slope, intercept = np.polyfit(x, middle, 1)
        precision = min(1 / max(float((middle - intercept - slope * x).std()), 1e-3), self.most_precision / 2)
        self.start = np.array([intercept, slope, 1.0]) * precision

    def maximum(self) -> tuple[float, float, float]:
        """The largest log-likelihood, and exponent and intercept that attain it."""
        value, (a, b, precision) = self._climb(self._value, self.start)
        return value, float(b / precision), float(a / precision)

    def profile(self, exponent: float) -> float:
        """The largest log-likelihood at this exponent."""

        def value(point: np.ndarray) -> tuple[float, np.ndarray]:
            a, precision = point
            height, (da, db, dp) = self._value(np.array([a, exponent * precision, precision]))
            return height, np.array([da, dp + exponent * db])

        return self._climb(value, self.start[[0, 2]])[0]

    def _climb(self, value: _Surface, start: np.ndarray) -> tuple[float, np.ndarray]:
        def negative(point: np.ndarray) -> tuple[float, np.ndarray]:
            height, slope = value(point)
            return -height, -slope

        bounds = [(None, None)] * (len(start) - 1) + [(1e-6, self.most_precision)]
        found = minimize(negative, start, jac=True, method="L-BFGS-B", bounds=bounds)
        return -float(found.fun), found.x

    def _value(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Log-likelihood and its gradient at (intercept, exponent, 1)/sigma."""
        a, b, precision = point
        low, high = (precision * limit - a - b * self.x for limit in (self.lower, self.upper))
        flip = low > 0  # both in the upper tail: mirror, where the logarithms are accurate
        log_low, log_high = log_ndtr(np.where(flip, -high, low)), log_ndtr(np.where(flip, -low, high))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            log_p = log_high + np.log1p(-np.exp(log_low - log_high))
            weight_low, weight_high = (np.exp(-0.5 * z**2 - _LOG_ROOT_2PI - log_p) for z in (low, high))
            pull = np.where(self.exact, low, weight_low - weight_high)
            by_limit = np.where(np.isfinite(self.upper), weight_high * self.upper, 0.0)
            by_limit = by_limit - np.where(np.isfinite(self.lower), weight_low * self.lower, 0.0)
        by_limit = np.where(self.exact, 1 / precision - low * self.lower, by_limit)
        values = np.where(self.exact, math.log(precision) - 0.5 * low**2 - _LOG_ROOT_2PI, log_p)
        return float(values.sum()), np.array([pull.sum(), (pull * self.x).sum(), by_limit.sum()])


def _crossing(excess: Callable[[float], float], start: float, direction: float) -> float:
    """Where the excess becomes positive, going from start in this direction; infinite if nowhere."""
    inside, step = start, 0.1
    while step < _STEEPEST:
        outside = start + direction * step
        if excess(outside) > 0:
            return float(brentq(excess, inside, outside, xtol=1e-3))
        inside, step = outside, step * 2
    return direction * math.inf
