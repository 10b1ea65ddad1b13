"""Differences between two learners: on the same samples, replicate by replicate, or on their own."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtrc

from stackel_bench.errors import InputError
from stackel_bench.statistics.binomial import CONFIDENCE
from stackel_bench.statistics.bounded_mean import mean_interval


@dataclass(frozen=True)
class Difference:
    """The mean of second minus first, with its interval."""

    difference: float
    low: float
    high: float


def paired_difference(
    first: ArrayLike, second: ArrayLike, low: float, high: float, confidence: float = CONFIDENCE
) -> Difference:
    """The mean difference of values [replicates] in [low, high]; failures are values in [0, 1].

    The interval is that of bounded means, on [low - high, high - low].
    """
    before, after = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if before.shape != after.shape:
        raise InputError("second", after.shape, f"one value for each of the first {before.shape}")
    differences = after - before
    lower, upper = mean_interval(differences, low - high, high - low, confidence)
    return Difference(math.fsum(differences) / len(differences), lower, upper)


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value of equal failure probabilities, from replicates where one alone failed."""
    return min(1.0, 2.0 * paired_p_value(*sorted((only_first, only_second))))


def paired_p_value(only_first: int, only_second: int) -> float:
    """McNemar's exact p-value of "the second fails no more often", from replicates where one alone failed.

    It holds whatever the two share within a replicate, even if that is nothing.
    """
    if min(only_first, only_second) < 0:
        raise InputError("only_first, only_second", (only_first, only_second), "counts >= 0")
    return float(bdtrc(only_second - 1, only_first + only_second, 0.5))


def unpaired_p_value(first: int, first_trials: int, second: int, second_trials: int) -> float:
    """Fisher's exact p-value of "the second fails no more often", from failures of independent replicates."""
    if not (0 <= first <= first_trials and 0 <= second <= second_trials):
        raise InputError("failures", (first, second), f"0 to {first_trials}, 0 to {second_trials}")
    from scipy.stats import hypergeom  # half a second, which only `compare` needs

    return float(hypergeom.sf(second - 1, first_trials + second_trials, first + second, second_trials))


def unpaired_difference(first: tuple[float, float, float], second: tuple[float, float, float]) -> Difference:
    """Second minus first of two independent estimates, each (low, estimate, high).

    Distances to the limits are added in squares (Zou and Donner 2008). Approximate: with Clopper-Pearson
    limits it covered in at least 95 % on every pair of probabilities that the tests enumerate.
    """
    (low_a, a, high_a), (low_b, b, high_b) = first, second
    return Difference(
        b - a, b - a - math.hypot(b - low_b, high_a - a), b - a + math.hypot(high_b - b, a - low_a)
    )
