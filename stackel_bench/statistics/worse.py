"""Whether a second failure probability is larger than a first one: exact one-sided tests, and intervals."""

from __future__ import annotations

import math

from scipy.stats import binom, hypergeom

from stackel_bench.errors import InputError
from stackel_bench.statistics.paired import PairedDifference


def paired_p_value(only_first: int, only_second: int) -> float:
    """McNemar's exact p-value of "the second fails no more often", from replicates where one alone failed.

    It holds whatever the two share within a replicate, even if that is nothing.
    """
    if min(only_first, only_second) < 0:
        raise InputError("only_first, only_second", (only_first, only_second), "counts >= 0")
    return float(binom.sf(only_second - 1, only_first + only_second, 0.5))


def unpaired_p_value(first: int, first_trials: int, second: int, second_trials: int) -> float:
    """Fisher's exact p-value of "the second fails no more often", from failures of independent replicates."""
    if not (0 <= first <= first_trials and 0 <= second <= second_trials):
        raise InputError("failures", (first, second), f"0 to {first_trials}, 0 to {second_trials}")
    return float(hypergeom.sf(second - 1, first_trials + second_trials, first + second, second_trials))


def unpaired_difference(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> PairedDifference:
    """Second minus first of two independent estimates, each (low, estimate, high).

    Distances to the limits are added in squares (Zou and Donner 2008). Approximate: with Clopper-Pearson
    limits it covered in at least 95 % on every pair of probabilities that the tests enumerate.
    """
    (low_a, a, high_a), (low_b, b, high_b) = first, second
    return PairedDifference(
        b - a, b - a - math.hypot(b - low_b, high_a - a), b - a + math.hypot(high_b - b, a - low_a)
    )
