"""Hypergeometric draws against exact laws, also where int64 arithmetic would wrap: powers of two."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from stackel_bench.kernel import kernel
from stackel_bench.simulation.kernels.doubling import hypergeometric
from stackel_bench.streams import generator
from tests.goodness_of_fit import chi_square_p, histogram

FALSE_ALARM = 1e-4  # per p-value; seeds are fixed, so a pass stays a pass


@kernel
def draw_each(rng: np.random.Generator, good: np.ndarray, bad: np.ndarray, sample: np.ndarray) -> np.ndarray:
    """One draw per entry: three int64 arrays [n] -> int64 [n]."""
    out = np.zeros(good.size, dtype=np.int64)
    for i in range(good.size):
        out[i] = int(hypergeometric(rng, float(good[i]), float(bad[i]), float(sample[i])))
    return out


HYPERGEOMETRIC = [
    (1, 1, 1), (3, 4, 5), (10, 10, 10), (50, 30, 20), (1, 1000, 500), (1000, 1, 500), (200, 300, 490),
    (5000, 5000, 5000), (30, 10**6, 10**5), (10**6, 30, 10**5), (2**31, 2**31, 40), (12, 2**53 - 12, 2**52),
]  # fmt: skip


@pytest.mark.parametrize(("good", "bad", "sample"), HYPERGEOMETRIC)
def test_hypergeometric_has_the_hypergeometric_law(good: int, bad: int, sample: int) -> None:
    """12 chi-square tests with 10^5 draws; false alarm 1.2e-3 together."""
    draws = 100_000
    values = draw_each(
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
    assert chi_square_p(histogram(values), expected) > FALSE_ALARM


@pytest.mark.parametrize("power", [32, 33, 40, 52])
def test_hypergeometric_at_powers_of_two_is_normal(power: int) -> None:
    """50 equal cells and the variance, 2e5 draws; false alarm about 2e-3 together."""
    draws = 200_000
    for good, bad, sample in ((2**power, 2**power, 2**power), (2 ** (power - 2), 2**power, 2 ** (power - 1))):
        values = draw_each(
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
    drawn = draw_each(generator("limits"), good, bad, sample)
    assert drawn.tolist() == [0, 4, 0, 7, 2**52]
