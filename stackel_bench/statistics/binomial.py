"""Exact intervals of a probability from counted failures."""

import math

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.kernel import kernel
from stackel_bench.statistics.elementary import exp, log
from stackel_bench.tolerances import LEAST_TERM, NARROWEST

CONFIDENCE = 0.95


def binomial_interval(
    failures: ArrayLike, trials: ArrayLike, confidence: float = CONFIDENCE
) -> tuple[np.ndarray, np.ndarray]:
    """The Clopper-Pearson limits (low, high) of each probability; arrays are broadcast, numbers give numbers.

    Each limit alone is wrong with probability at most (1 - confidence)/2, whatever the probability is.
    """
    counts, totals = np.broadcast_arrays(np.asarray(failures), np.asarray(trials))
    if counts.size and not (np.all(counts >= 0) and np.all(counts <= totals) and np.all(totals >= 1)):
        raise InputError("failures, trials", (failures, trials), "0 <= failures <= trials and trials >= 1")
    checks.real("confidence", confidence, least=0, most=1, open_least=True, open_most=True)
    low, high = _limits(
        counts.astype(np.int64).ravel(), totals.astype(np.int64).ravel(), (1.0 - confidence) / 2
    )
    return low.reshape(counts.shape)[()], high.reshape(counts.shape)[()]


@kernel
def lower_limit(count: int, trials: int, tail: float) -> float:
    """The probability at which so many or more of the trials happen with probability tail; 0 at count 0."""
    if count == 0:
        return 0.0
    low, high = 0.0, count / trials
    while True:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high or high - low < NARROWEST * high:
            return middle
        if upper_tail(count, trials, middle) < tail:
            low = middle
        else:
            high = middle


@kernel
def upper_limit(count: int, trials: int, tail: float) -> float:
    """The probability at which so many or fewer of the trials happen with probability tail; 1 at all."""
    return 1.0 - lower_limit(trials - count, trials, tail)


@kernel
def upper_tail(count: int, trials: int, probability: float) -> float:
    """P(X >= count) of a binomial X for count/trials >= probability > 0: the pmf times a falling series."""
    odds = probability / (1.0 - probability)
    term, total, k = 1.0, 1.0, count
    while k < trials and term > LEAST_TERM * total:
        term *= (trials - k) / (k + 1.0) * odds
        total += term
        k += 1
    return _pmf(count, trials, probability) * total


@kernel
def _limits(counts: np.ndarray, trials: np.ndarray, tail: float) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.empty(len(counts)), np.empty(len(counts))
    for i in range(len(counts)):
        low[i] = lower_limit(counts[i], trials[i], tail)
        high[i] = upper_limit(counts[i], trials[i], tail)
    return low, high


@kernel
def _pmf(count: int, trials: int, probability: float) -> float:
    """P(X = count) without cancellation (Loader 2000)."""
    if count == 0 or count == trials:
        return exp(trials * log(1.0 - probability if count == 0 else probability))
    rest = trials - count
    exponent = _stirling_error(trials) - _stirling_error(count) - _stirling_error(rest)
    exponent -= deviance(count, trials * probability) + deviance(rest, trials * (1.0 - probability))
    return exp(exponent) * math.sqrt(trials / (2.0 * math.pi * count * rest))


@kernel
def _stirling_error(n: int) -> float:
    """ln n! - ln(sqrt(2 pi n) (n/e)^n)."""
    if n < 16:
        factorial = 1.0
        for k in range(2, n + 1):
            factorial *= k
        return log(factorial) - (n + 0.5) * log(float(n)) + n - 0.5 * log(2.0 * math.pi)
    square = 1.0 / (float(n) * n)
    series = 1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - square / 1188) * square) * square) * square
    return series / n


@kernel
def deviance(count: float, mean: float) -> float:
    """count ln(count/mean) + mean - count, by series where the two are close."""
    ratio = (count - mean) / (count + mean)
    if abs(ratio) > 0.1:
        return count * log(count / mean) + mean - count
    total, power, k = (count - mean) * ratio, 2.0 * count * ratio, 1
    while True:
        power *= ratio * ratio
        k += 2
        grown = total + power / k
        if grown == total:
            return total
        total = grown
