"""One-sided exact tests: as scipy's, their size and power summed over all outcomes, and coverage."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy import stats

from stackel_bench.errors import InputError
from stackel_bench.statistics.binomial import binomial_interval
from stackel_bench.statistics.differences import paired_p_value, unpaired_difference, unpaired_p_value

REPLICATES = 400


@functools.cache
def least_failures(first: int, level: float) -> int:
    """The fewest failures of the second that are shown to be more than so many of the first."""
    counts = range(first, REPLICATES + 1)
    shown = (k for k in counts if unpaired_p_value(first, REPLICATES, k, REPLICATES) <= level)
    return next(shown, REPLICATES + 1)


def unpaired_power(first: float, second: float, level: float = 0.05) -> float:
    """The probability that the second is shown to fail more often, over all outcomes."""
    counts = [k for k in range(REPLICATES + 1) if stats.binom.pmf(k, REPLICATES, first) > 1e-9]
    return sum(
        stats.binom.pmf(k, REPLICATES, first)
        * stats.binom.sf(least_failures(k, level) - 1, REPLICATES, second)
        for k in counts
    )


def paired_power(only_first: float, only_second: float, level: float = 0.05) -> float:
    total, power = only_first + only_second, 0.0
    for discordant in range(REPLICATES + 1):
        chance = stats.binom.pmf(discordant, REPLICATES, total)
        if chance > 1e-9:
            split = stats.binom.pmf(np.arange(discordant + 1), discordant, only_second / total)
            shown = [paired_p_value(discordant - k, k) <= level for k in range(discordant + 1)]
            power += chance * float(split[shown].sum())
    return power


@pytest.mark.parametrize("counts", [(0, 0), (0, 5), (5, 0), (20, 40), (40, 20), (400, 400)])
def test_fisher_and_mcnemar_are_scipys(counts: tuple[int, int]) -> None:
    first, second = counts
    table = [[second, 400 - second], [first, 300 - min(first, 300)]]
    expected = stats.fisher_exact(table, alternative="greater").pvalue
    assert unpaired_p_value(min(first, 300), 300, second, 400) == pytest.approx(expected)
    total = first + second
    expected = stats.binomtest(second, total, 0.5, alternative="greater").pvalue if total else 1.0
    assert paired_p_value(first, second) == pytest.approx(expected)


@pytest.mark.parametrize("probability", [0.001, 0.01, 0.05, 0.1, 0.2])
def test_false_alarms_are_at_most_five_percent(probability: float) -> None:
    assert unpaired_power(probability, probability) <= 0.05
    assert paired_power(probability / 2, probability / 2) <= 0.05


def test_power_against_five_points_more() -> None:
    """What docs/compare.md says of 400 replicates, summed over all outcomes."""
    assert unpaired_power(0.0, 0.05) > 0.999
    assert unpaired_power(0.02, 0.07) > 0.95
    assert unpaired_power(0.05, 0.10) == pytest.approx(0.827, abs=0.001)
    assert paired_power(0.0, 0.05) > 0.999
    assert paired_power(0.02, 0.07) > 0.95
    assert paired_power(0.045, 0.095) == pytest.approx(0.827, abs=0.001)  # failures that share nothing


def test_no_test_is_much_more_powerful() -> None:
    """Neyman and Pearson's most powerful test of two equal probabilities, 7.5 %, against 5 % and 10 %."""
    counts = np.arange(REPLICATES + 1)
    equal, first, second = (stats.binom.pmf(counts, REPLICATES, p) for p in (0.075, 0.05, 0.10))
    null, alternative = np.outer(equal, equal).ravel(), np.outer(first, second).ravel()
    order = np.argsort(-alternative / np.maximum(null, 1e-300))
    rejected = np.searchsorted(np.cumsum(null[order]), 0.05) + 1
    best = float(alternative[order][:rejected].sum())
    assert unpaired_power(0.05, 0.10) < best < 0.861


def test_power_of_a_regression_in_every_cell() -> None:
    """Independent cells from 5 % to 10 %: the first step of Holm alone finds one of them."""
    caught = {cells: 1 - (1 - unpaired_power(0.05, 0.10, 0.05 / cells)) ** cells for cells in (1, 3, 10)}
    assert caught[1] < 0.95 < caught[3] < caught[10]


@pytest.mark.parametrize("first", [0.0, 0.01, 0.05, 0.3])
@pytest.mark.parametrize("second", [0.0, 0.05, 0.5, 0.97])
@pytest.mark.parametrize("trials", [(20, 20), (60, 15)])
def test_unpaired_differences_are_covered(first: float, second: float, trials: tuple[int, int]) -> None:
    sides = []
    for probability, n in zip((first, second), trials, strict=True):
        counts = np.arange(n + 1)
        low, high = binomial_interval(counts, n)
        sides.append(list(zip(stats.binom.pmf(counts, n, probability), low, counts / n, high, strict=True)))
    covered = 0.0
    for chance_a, *a in sides[0]:
        for chance_b, *b in sides[1]:
            found = unpaired_difference(tuple(a), tuple(b))
            covered += chance_a * chance_b * (found.low <= second - first <= found.high)
    assert covered >= 0.95


def test_mistakes_are_named() -> None:
    with pytest.raises(InputError, match="only_first"):
        paired_p_value(-1, 2)
    with pytest.raises(InputError, match="failures"):
        unpaired_p_value(5, 4, 0, 4)
