"""Binomial draws whose cost does not grow with the number of trials, and log masses that do not cancel."""

import math

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.statistics.binomial import deviance

_HALF_LOG_TAU = 0.5 * math.log(2.0 * math.pi)
# log k! minus Stirling's formula, exact for k = 1..15; larger k use the asymptotic series.
_STIRLING_ERRORS = np.array(
    [0.0] + [math.log(math.factorial(k)) - (k + 0.5) * math.log(k) + k - _HALF_LOG_TAU for k in range(1, 16)]
)


@kernel
def _stirling_error(k: float) -> float:
    """log k! - log(sqrt(2 pi k) (k/e)^k) for an integer k >= 1."""
    if k < 16.0:
        return float(_STIRLING_ERRORS[int(k)])
    square = k * k
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680) / square) / square) / square) / k


@kernel
def log_binomial_mass(k: float, n: float, p: float) -> float:
    """log P(Binomial(n, p) = k) for 0 < p < 1, accurate for every n <= 2**53 (Loader 2000)."""
    if k == 0.0:
        return n * math.log1p(-p)
    if k == n:
        return n * math.log(p)
    return (
        _stirling_error(n)
        - _stirling_error(k)
        - _stirling_error(n - k)
        - deviance(k, n * p)
        - deviance(n - k, n * (1.0 - p))
        - _HALF_LOG_TAU
        + 0.5 * (math.log(n / (n - k)) - math.log(k))
    )


@kernel
def _small_binomial(rng: np.random.Generator, n: float, p: float) -> float:
    """Inversion from 0 upwards; for n p < 10 and p <= 1/2."""
    odds = p / (1.0 - p)
    at_zero = math.exp(n * math.log1p(-p))
    while True:
        u = rng.random()
        mass = at_zero
        k = 0.0
        while u >= mass and k < n:
            u -= mass
            k += 1.0
            mass *= (n - k + 1.0) / k * odds
            if mass < 1e-300:  # u sits in the rounding of the whole sum: draw again
                k = n + 1.0
        if k < n or (k == n and u < mass):
            return k


@kernel
def _large_binomial(rng: np.random.Generator, n: float, p: float) -> float:
    """Transformed rejection with a squeeze (Hoermann 1993, BTRS); for n p >= 10 and p <= 1/2."""
    deviation = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre = n * p + 0.5
    squeeze = 0.92 - 4.2 / b
    log_mode = 0.0
    scale = 0.0
    while True:
        v = rng.random()
        u = rng.random() - 0.5
        us = 0.5 - abs(u)
        if us == 0.0 or v == 0.0:
            continue
        k = float(np.floor((2.0 * a / us + b) * u + centre))
        if us >= 0.07 and v <= squeeze:
            return k
        if k < 0.0 or k > n:
            continue
        if scale == 0.0:
            log_mode = log_binomial_mass(float(np.floor((n + 1.0) * p)), n, p)
            scale = (2.83 + 5.1 / b) * deviation
        if math.log(v * scale / (a / (us * us) + b)) <= log_binomial_mass(k, n, p) - log_mode:
            return k


@kernel
def binomial(rng: np.random.Generator, n: float, p: float) -> float:
    """One Binomial(n, p) draw as a float that holds an integer; 0 <= n <= 2**53."""
    if n <= 0.0 or p <= 0.0:
        return 0.0
    if p >= 1.0:
        return n
    small = min(p, 1.0 - p)
    k = _small_binomial(rng, n, small) if n * small < 10.0 else _large_binomial(rng, n, small)
    return k if p <= 0.5 else n - k


@kernel
def binomial_each(rng: np.random.Generator, totals: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """One binomial draw per entry: totals int64 [n], probabilities [n] -> int64 [n]."""
    out = np.zeros(totals.size, dtype=np.int64)
    for i in range(totals.size):
        out[i] = int(binomial(rng, float(totals[i]), probabilities[i]))
    return out
