"""Paired differences: exact coverage of failures, McNemar's test as scipy's binomial test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from stackel_bench.errors import InputError
from stackel_bench.statistics.differences import mcnemar, paired_difference


@pytest.mark.parametrize("law", [(0.02, 0.02), (0.0, 0.05), (0.3, 0.1), (0.01, 0.4)])
def test_failure_differences_are_covered(law: tuple[float, float]) -> None:
    """Coverage of P(only second) - P(only first), summed over all outcomes of 25 replicates."""
    replicates, covered = 25, 0.0
    for only_first in range(replicates + 1):
        for only_second in range(replicates + 1 - only_first):
            rest = replicates - only_first - only_second
            chance = stats.multinomial.pmf([only_first, only_second, rest], replicates, [*law, 1 - sum(law)])
            if chance < 1e-7:
                continue
            first = np.arange(replicates) < only_first
            second = np.arange(replicates) >= replicates - only_second
            found = paired_difference(first, second, 0, 1)
            covered += chance * (found.low <= law[1] - law[0] <= found.high)
    assert covered >= 0.95


def test_narrower_than_two_exact_intervals() -> None:
    """The difference of two Clopper-Pearson intervals at 97.5 %, which it replaces."""
    for only_first, only_second, replicates in [(0, 5, 60), (3, 12, 60), (20, 30, 400)]:
        first = np.arange(replicates) < only_first
        second = np.arange(replicates) >= replicates - only_second
        found = paired_difference(first, second, 0, 1)
        one, two = (
            stats.binomtest(k, replicates).proportion_ci(0.975, "exact") for k in (only_first, only_second)
        )
        assert found.high - found.low < (two.high - one.low) - (two.low - one.high)
        assert found.difference == pytest.approx((only_second - only_first) / replicates)


def test_losses_of_any_range() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.random((2, 80))
    found, mirrored = paired_difference(first, second, 0, 1), paired_difference(second, first, 0, 1)
    assert (found.low, found.high) == pytest.approx((-mirrored.high, -mirrored.low))
    scaled = paired_difference(4 * first, 4 * second, 0, 4)
    assert (scaled.low, scaled.high) == pytest.approx((4 * found.low, 4 * found.high))


@pytest.mark.parametrize(("only_first", "only_second"), [(0, 0), (1, 1), (0, 6), (13, 4), (50, 50)])
def test_mcnemar_is_the_binomial_test(only_first: int, only_second: int) -> None:
    total = only_first + only_second
    expected = stats.binomtest(only_first, total, 0.5).pvalue if total else 1.0
    assert mcnemar(only_first, only_second) == pytest.approx(expected)


def test_mistakes_are_named() -> None:
    with pytest.raises(InputError, match="second"):
        paired_difference([0.0], [0.0, 1.0], 0, 1)
    with pytest.raises(InputError, match="only_first"):
        mcnemar(-1, 2)
