"""Binomial draws and masses against exact laws, also where int64 arithmetic would wrap: powers of two."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from stackel_bench.simulation.kernels.binomial import binomial_each, log_binomial_mass
from stackel_bench.streams import generator
from tests.goodness_of_fit import chi_square_p, histogram

FALSE_ALARM = 1e-4  # per p-value; seeds are fixed, so a pass stays a pass


def _binomials(key: str, n: int, p: float, draws: int) -> np.ndarray:
    return binomial_each(generator(key, n, str(p)), np.full(draws, n), np.full(draws, p))


@pytest.mark.parametrize("n", [1, 2, 7, 25, 40, 100, 1000, 20_000])
@pytest.mark.parametrize("p", [1e-4, 0.03, 0.3, 0.5, 0.51, 0.9, 1 - 1e-4])
def test_binomial_has_the_binomial_law(n: int, p: float) -> None:
    """56 chi-square tests with 10^5 draws each; false alarm 6e-3 together."""
    support = np.arange(n + 1)
    mass = stats.binom.pmf(support, n, p)
    expected = {int(k): float(m) for k, m in zip(support, mass, strict=True) if m > 0}
    assert chi_square_p(histogram(_binomials("law", n, p, 100_000)), expected) > FALSE_ALARM


@pytest.mark.parametrize("power", [30, 31, 32, 33, 34, 36, 40, 41, 48, 52, 53])
@pytest.mark.parametrize("p", [0.5, 0.25, 0.3])
def test_binomial_at_powers_of_two_is_normal_also_in_its_tails(power: int, p: float) -> None:
    """50 equal cells, the variance, and draws beyond 4 and 8 sigma; false alarm about 1e-2 together.

    Skewness moves cell probabilities by less than 1e-4 relative here, far below what 3e5 draws resolve.
    """
    for n in (2**power, 2**power - 1):
        draws = 300_000
        z = (_binomials("power", n, p, draws) - n * p) / math.sqrt(n * p * (1 - p))
        cells = np.histogram(stats.norm.cdf(z), bins=50, range=(0, 1))[0]
        assert stats.chisquare(cells).pvalue > FALSE_ALARM
        assert abs(z.var() - 1) < 4.5 * math.sqrt(2 / draws)
        assert stats.poisson.sf((np.abs(z) > 4).sum() - 1, draws * 2 * stats.norm.sf(4)) > FALSE_ALARM
        assert np.abs(z).max() < 7


@pytest.mark.parametrize("n", [2**31, 2**40, 2**53])
def test_rare_events_at_large_counts_are_poisson(n: int) -> None:
    """Chi-square against Poisson(3) and Poisson(30), 10^5 draws; false alarm 6e-4 together."""
    for mean in (3.0, 30.0):
        support = range(200)
        expected = {k: float(stats.poisson.pmf(k, mean)) for k in support}
        expected = {k: mass for k, mass in expected.items() if mass > 0}
        assert chi_square_p(histogram(_binomials("rare", n, mean / n, 100_000)), expected) > FALSE_ALARM
        flipped = n - _binomials("rare", n, 1 - mean / n, 20_000)
        assert flipped.min() >= 0
        # 1 - mean/n is rounded to a multiple of 2**-53, so its complement is that of the rounded number.
        assert abs(flipped.mean() - n * (1 - (1 - mean / n))) < 5 * math.sqrt(mean / 20_000)


def test_binomial_limits_are_exact() -> None:
    n = np.array([0, 0, 5, 5, 2**53, 2**53, 1, 1])
    p = np.array([0.3, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    assert binomial_each(generator("limits"), n, p).tolist() == [0, 0, 0, 5, 0, 2**53, 0, 1]
    tiny = binomial_each(generator("tiny"), np.full(1000, 2**53), np.full(1000, 1e-300))
    assert tiny.sum() == 0


def test_log_mass_against_fractions() -> None:
    for n in (1, 2, 16, 17, 40, 300):
        for p in (Fraction(1, 2), Fraction(1, 8), Fraction(15, 16)):
            for k in range(n + 1):
                exact = math.comb(n, k) * p**k * (1 - p) ** (n - k)
                log_exact = math.log(exact.numerator) - math.log(exact.denominator)
                assert log_binomial_mass(float(k), float(n), float(p)) == pytest.approx(
                    log_exact, rel=1e-13, abs=1e-12
                )


@pytest.mark.parametrize("power", [32, 40, 53])
def test_log_mass_ratios_at_powers_of_two(power: int) -> None:
    """pmf(k + d)/pmf(k) is a product of d exact ratios; d = 1000 near the mode and 6 sigma away."""
    n, p = 2**power, 0.25
    for k in (n // 4, n // 4 + int(6 * math.sqrt(n * p * (1 - p)))):
        steps = np.arange(1000, dtype=float)
        exact = math.fsum(np.log(((n - k) - steps) / (k + 1 + steps) * (p / (1 - p))))
        ours = log_binomial_mass(float(k + 1000), float(n), p) - log_binomial_mass(float(k), float(n), p)
        assert ours == pytest.approx(exact, rel=1e-6, abs=1e-6)
