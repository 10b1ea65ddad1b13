"""Draws against exact laws, also where int64 arithmetic would wrap: counts at powers of two."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from stackel_bench.simulation import count_kernels as kernels
from stackel_bench.streams import generator
from tests.goodness_of_fit import chi_square_p

FALSE_ALARM = 1e-4  # per p-value; seeds are fixed, so a pass stays a pass


def _binomials(key: str, n: int, p: float, draws: int) -> np.ndarray:
    return kernels.binomial_each(generator(key, n, str(p)), np.full(draws, n), np.full(draws, p))


def _histogram(values: np.ndarray) -> dict[int, int]:
    return {
        int(value): int(count) for value, count in zip(*np.unique(values, return_counts=True), strict=True)
    }


@pytest.mark.parametrize("n", [1, 2, 7, 25, 40, 100, 1000, 20_000])
@pytest.mark.parametrize("p", [1e-4, 0.03, 0.3, 0.5, 0.51, 0.9, 1 - 1e-4])
def test_binomial_has_the_binomial_law(n: int, p: float) -> None:
    """56 chi-square tests with 10^5 draws each; false alarm 6e-3 together."""
    support = np.arange(n + 1)
    mass = stats.binom.pmf(support, n, p)
    expected = {int(k): float(m) for k, m in zip(support, mass, strict=True) if m > 0}
    assert chi_square_p(_histogram(_binomials("law", n, p, 100_000)), expected) > FALSE_ALARM


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
        assert chi_square_p(_histogram(_binomials("rare", n, mean / n, 100_000)), expected) > FALSE_ALARM
        flipped = n - _binomials("rare", n, 1 - mean / n, 20_000)
        assert flipped.min() >= 0
        # 1 - mean/n is rounded to a multiple of 2**-53, so its complement is that of the rounded number.
        assert abs(flipped.mean() - n * (1 - (1 - mean / n))) < 5 * math.sqrt(mean / 20_000)


def test_binomial_limits_are_exact() -> None:
    n = np.array([0, 0, 5, 5, 2**53, 2**53, 1, 1])
    p = np.array([0.3, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    assert kernels.binomial_each(generator("limits"), n, p).tolist() == [0, 0, 0, 5, 0, 2**53, 0, 1]
    tiny = kernels.binomial_each(generator("tiny"), np.full(1000, 2**53), np.full(1000, 1e-300))
    assert tiny.sum() == 0


def test_log_mass_against_fractions() -> None:
    for n in (1, 2, 16, 17, 40, 300):
        for p in (Fraction(1, 2), Fraction(1, 8), Fraction(15, 16)):
            for k in range(n + 1):
                exact = math.comb(n, k) * p**k * (1 - p) ** (n - k)
                log_exact = math.log(exact.numerator) - math.log(exact.denominator)
                assert kernels.log_binomial_mass(float(k), float(n), float(p)) == pytest.approx(
                    log_exact, rel=1e-13, abs=1e-12
                )


@pytest.mark.parametrize("power", [32, 40, 53])
def test_log_mass_ratios_at_powers_of_two(power: int) -> None:
    """pmf(k + d)/pmf(k) is a product of d exact ratios; d = 1000 near the mode and 6 sigma away."""
    n, p = 2**power, 0.25
    for k in (n // 4, n // 4 + int(6 * math.sqrt(n * p * (1 - p)))):
        steps = np.arange(1000, dtype=float)
        exact = math.fsum(np.log(((n - k) - steps) / (k + 1 + steps) * (p / (1 - p))))
        ours = kernels.log_binomial_mass(float(k + 1000), float(n), p) - kernels.log_binomial_mass(
            float(k), float(n), p
        )
        assert ours == pytest.approx(exact, rel=1e-6, abs=1e-6)


HYPERGEOMETRIC = [
    (1, 1, 1), (3, 4, 5), (10, 10, 10), (50, 30, 20), (1, 1000, 500), (1000, 1, 500), (200, 300, 490),
    (5000, 5000, 5000), (30, 10**6, 10**5), (10**6, 30, 10**5), (2**31, 2**31, 40), (12, 2**53 - 12, 2**52),
]  # fmt: skip


@pytest.mark.parametrize(("good", "bad", "sample"), HYPERGEOMETRIC)
def test_hypergeometric_has_the_hypergeometric_law(good: int, bad: int, sample: int) -> None:
    """12 chi-square tests with 10^5 draws; false alarm 1.2e-3 together."""
    draws = 100_000
    values = kernels.hypergeometric_each(
        generator("hyper", good, bad, sample),
        np.full(draws, good),
        np.full(draws, bad),
        np.full(draws, sample),
    )
    low, high = max(0, sample - bad), min(good, sample)
    support = np.arange(max(low, high - 20_000), high + 1)
    if good + bad < 10**8:
        mass = stats.hypergeom.pmf(support, good + bad, good, sample)
    elif good <= 12:  # sampling half of everything: good ones are independent coins up to 1e-14
        mass = stats.binom.pmf(support, good, sample / (good + bad))
    else:
        mass = stats.binom.pmf(support, sample, good / (good + bad))
    expected = {int(k): float(m) for k, m in zip(support, mass, strict=True) if m > 0}
    assert chi_square_p(_histogram(values), expected) > FALSE_ALARM


@pytest.mark.parametrize("power", [32, 33, 40, 52])
def test_hypergeometric_at_powers_of_two_is_normal(power: int) -> None:
    """50 equal cells and the variance, 2e5 draws; false alarm about 2e-3 together."""
    draws = 200_000
    for good, bad, sample in ((2**power, 2**power, 2**power), (2 ** (power - 2), 2**power, 2 ** (power - 1))):
        values = kernels.hypergeometric_each(
            generator("hyper", power, sample),
            np.full(draws, good),
            np.full(draws, bad),
            np.full(draws, sample),
        )
        total = good + bad
        share = good / total
        z = (values - sample * share) / math.sqrt(
            sample * share * (1 - share) * ((total - sample) / (total - 1))
        )
        cells = np.histogram(stats.norm.cdf(z), bins=50, range=(0, 1))[0]
        assert stats.chisquare(cells).pvalue > FALSE_ALARM
        assert abs(z.var() - 1) < 4.5 * math.sqrt(2 / draws)
        assert np.abs(z).max() < 6.5


def test_hypergeometric_limits_are_exact() -> None:
    cases = [[0, 7, 7, 7, 2**52], [9, 0, 9, 9, 2**52], [4, 4, 0, 16, 2**53]]
    good, bad, sample = map(np.array, cases)
    drawn = kernels.hypergeometric_each(generator("limits"), good, bad, sample)
    assert drawn.tolist() == [0, 4, 0, 7, 2**52]


def test_alias_tables_hold_the_probabilities() -> None:
    """Exact up to rounding for 600 rows, among them one-point rows and rows with zeros."""
    rng = generator("alias")
    for size in (1, 2, 3, 10, 33):
        rows = rng.dirichlet(np.full(size, 0.2), size=120)
        rows[:20] = np.eye(size)[rng.integers(size, size=20)]
        rows[20:60][rng.random((40, size)) < 0.5] = 0
        rows = rows[rows.sum(axis=1) > 0]
        rows /= rows.sum(axis=1, keepdims=True)
        conditional, accept, alias = kernels.row_tables(rows)
        held = accept / size
        for row in range(len(rows)):
            np.add.at(held[row], alias[row], (1 - accept[row]) / size)
        np.testing.assert_allclose(held, rows, atol=1e-14)
        assert (held[rows == 0] == 0).all()
        left = np.cumprod(np.hstack([np.ones((len(rows), 1)), 1 - conditional]), axis=1)
        np.testing.assert_allclose(left[:, :-1] * conditional, rows, atol=1e-14)
        assert (left[:, -1] == 0).all()


@pytest.mark.parametrize("n", [2, 11, 13, 60])
def test_multinomial_rows_have_the_multinomial_law(n: int) -> None:
    """One category impossible; alias draws (n <= 12) and conditional binomials; false alarm 4e-4 together."""
    row = np.array([0.7, 0.0, 0.3])
    draws = 40_000
    tables = kernels.row_tables(np.tile(row, (draws, 1)))
    counts = kernels.multinomial_rows(generator("rows", n), np.full(draws, n), *tables)
    assert (counts.sum(axis=1) == n).all()
    assert (counts[:, 1] == 0).all()
    expected = {k: float(stats.binom.pmf(k, n, row[0])) for k in range(n + 1)}
    assert chi_square_p(_histogram(counts[:, 0]), expected) > FALSE_ALARM


def test_multinomial_of_four_categories_jointly() -> None:
    """Chi-square over all 455 vectors of n = 12 and over those of n = 20; false alarm 2e-4."""
    row = np.array([0.1, 0.4, 0.2, 0.3])
    draws = 100_000
    tables = kernels.row_tables(np.tile(row, (draws, 1)))
    for n in (12, 20):
        counts = kernels.multinomial_rows(generator("joint", n), np.full(draws, n), *tables)
        seen: dict[tuple[int, ...], int] = {}
        for vector, count in zip(*np.unique(counts, axis=0, return_counts=True), strict=True):
            seen[tuple(map(int, vector))] = int(count)
        law = {
            (i, j, k, n - i - j - k): float(stats.multinomial.pmf([i, j, k, n - i - j - k], n, row))
            for i in range(n + 1)
            for j in range(n + 1 - i)
            for k in range(n + 1 - i - j)
        }
        assert chi_square_p(seen, law) > FALSE_ALARM


def test_nothing_leaks_into_categories_of_probability_zero() -> None:
    row = np.array([0.1] * 10 + [0.0, 0.0])
    tables = kernels.row_tables(np.tile(row, (5000, 1)))
    counts = kernels.multinomial_rows(generator("leak"), np.full(5000, 2**53), *tables)
    assert (counts[:, 10:] == 0).all()
    assert (counts.sum(axis=1) == 2**53).all()
