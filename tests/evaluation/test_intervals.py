"""Intervals: Clopper-Pearson as scipy computes it, and bootstrap intervals that are functions of the data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from stackel_bench.evaluation import intervals
from stackel_bench.evaluation.intervals import binomial_interval, mean_interval


@pytest.mark.parametrize("trials", [1, 2, 20, 200])
def test_binomial_intervals_are_exact(trials: int) -> None:
    for failures in sorted({0, 1, trials // 3, trials - 1, trials}):
        expected = stats.binomtest(failures, trials).proportion_ci(0.95, "exact")
        assert binomial_interval(failures, trials) == pytest.approx(tuple(expected), abs=1e-12)


def test_binomial_intervals_at_the_ends() -> None:
    """0 of n: the rule of three; both ends are exact numbers."""
    low, high = binomial_interval(0, 200)
    assert low == 0.0
    assert high == pytest.approx(1 - 0.025 ** (1 / 200))
    low, high = binomial_interval(200, 200)
    assert high == 1.0
    assert low == pytest.approx(0.025 ** (1 / 200))


@pytest.mark.parametrize("probability", [0.01, 0.3])
def test_binomial_intervals_cover(probability: float) -> None:
    """Coverage summed over the exact law is at least 95 %."""
    trials = 60
    covered = 0.0
    for failures in range(trials + 1):
        low, high = binomial_interval(failures, trials)
        covered += stats.binom.pmf(failures, trials, probability) * (low <= probability <= high)
    assert covered >= 0.95


def test_bootstrap_is_a_function_of_the_data() -> None:
    values = np.random.default_rng(0).random(150)
    first = mean_interval(values)
    np.random.default_rng(1).random(10)
    assert mean_interval(values.copy()) == first
    assert first[0] < values.mean() < first[1]


def test_bootstrap_of_equal_values_is_that_value() -> None:
    assert mean_interval(np.full(7, 0.25)) == (0.25, 0.25)
    assert mean_interval(np.array([0.5])) == (0.5, 0.5)


def test_bootstrap_agrees_with_the_normal_interval_for_many_values() -> None:
    """Within a tenth of its width: resampling noise of 2,000 resamples is about 3 %."""
    values = np.random.default_rng(2).exponential(size=4000)
    low, high = mean_interval(values)
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.2 * half)


@pytest.mark.parametrize("at_once", [1, 777, 10**4])
def test_bootstrap_does_not_depend_on_how_it_is_cut(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(3).random(99)
    whole = mean_interval(values)
    monkeypatch.setattr(intervals, "_RESAMPLED_AT_ONCE", at_once)
    assert mean_interval(values) == whole
