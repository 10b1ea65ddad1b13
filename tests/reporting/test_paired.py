"""Paired comparisons: exact tests and intervals against scipy and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from stackel_bench.reporting.paired import discordance_interval, mcnemar


def test_mcnemar_is_the_exact_sign_test() -> None:
    for first in range(8):
        for second in range(8):
            expected = binomtest(first, first + second, 0.5).pvalue if first + second else 1.0
            assert mcnemar(first, second) == pytest.approx(expected)


def test_no_discordance_still_has_an_interval() -> None:
    low, high = discordance_interval(0, 0, 200)
    assert low == -high
    assert high == pytest.approx(1 - 0.0125 ** (1 / 200))


def test_interval_covers_the_difference() -> None:
    """At least 95 % by construction; 1000 draws, so below 930 would have probability under 0.3 %."""
    rng = np.random.default_rng(4)
    chances = np.array([0.15, 0.05, 0.8])  # only first, only second, neither or both
    draws = rng.multinomial(60, chances, size=1000)
    limits = [discordance_interval(int(first), int(second), 60) for first, second, _ in draws]
    inside = sum(low <= -0.1 <= high for low, high in limits)
    assert inside >= 930
