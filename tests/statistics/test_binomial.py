"""Clopper-Pearson limits: as scipy computes them, exact coverage, ends, shapes."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy import stats

from stackel_bench.errors import InputError
from stackel_bench.statistics.binomial import binomial_interval, upper_tail


@pytest.mark.parametrize("trials", [1, 2, 20, 200, 5000])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.9999])
def test_limits_are_those_of_scipy(trials: int, confidence: float) -> None:
    for failures in sorted({0, 1, trials // 50, trials // 3, trials - 1, trials}):
        expected = stats.binomtest(failures, trials).proportion_ci(confidence, "exact")
        assert binomial_interval(failures, trials, confidence) == pytest.approx(tuple(expected), rel=1e-9)


def test_ends_are_exact_numbers() -> None:
    low, high = binomial_interval([0, 200], 200)
    assert (low[0], high[1]) == (0.0, 1.0)
    assert high[0] == pytest.approx(1 - 0.025 ** (1 / 200), rel=1e-13)
    assert low[1] == pytest.approx(0.025 ** (1 / 200), rel=1e-13)


def test_tails_are_exact_sums() -> None:
    for count, trials, probability in [(3, 10, 0.25), (0, 7, 0.0625), (40, 40, 0.75), (17, 50, 0.125)]:
        p = Fraction(probability)
        terms = (comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(count, trials + 1))
        assert upper_tail(count, trials, probability) == pytest.approx(float(sum(terms)), rel=1e-12)


@pytest.mark.parametrize("probability", [0.001, 0.02, 0.3, 0.5])
@pytest.mark.parametrize("trials", [20, 60, 400])
def test_coverage_summed_over_the_law_is_at_least_nominal(probability: float, trials: int) -> None:
    failures = np.arange(trials + 1)
    low, high = binomial_interval(failures, trials)
    inside = (low <= probability) & (probability <= high)
    assert stats.binom.pmf(failures, trials, probability)[inside].sum() >= 0.95


def test_arrays_are_broadcast() -> None:
    low, high = binomial_interval(np.array([[0], [3]]), np.array([5, 10, 20]))
    assert low.shape == high.shape == (2, 3)
    assert (low[1, 2], high[1, 2]) == binomial_interval(3, 20)


@pytest.mark.parametrize(("failures", "trials"), [(-1, 3), (4, 3), (0, 0)])
def test_impossible_counts_are_refused(failures: int, trials: int) -> None:
    with pytest.raises(InputError, match="failures, trials"):
        binomial_interval(failures, trials)
