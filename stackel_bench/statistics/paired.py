"""Differences between two learners on the same samples, replicate by replicate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench.errors import InputError
from stackel_bench.statistics.binomial import CONFIDENCE, upper_tail
from stackel_bench.statistics.bounded_mean import mean_interval


@dataclass(frozen=True)
class PairedDifference:
    """The mean of second minus first, with its interval."""

    difference: float
    low: float
    high: float


def paired_difference(
    first: ArrayLike, second: ArrayLike, low: float, high: float, confidence: float = CONFIDENCE
) -> PairedDifference:
    """The mean difference of values [replicates] in [low, high]; failures are values in [0, 1].

    The interval is that of bounded means, on [low - high, high - low].
    """
    before, after = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if before.shape != after.shape:
        raise InputError("second", after.shape, f"one value for each of the first {before.shape}")
    differences = after - before
    lower, upper = mean_interval(differences, low - high, high - low, confidence)
    return PairedDifference(math.fsum(differences) / len(differences), lower, upper)


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value of equal failure probabilities, from replicates where one alone failed."""
    if min(only_first, only_second) < 0:
        raise InputError("only_first, only_second", (only_first, only_second), "counts >= 0")
    discordant = only_first + only_second
    if discordant == 0:
        return 1.0
    return min(1.0, 2.0 * upper_tail(max(only_first, only_second), discordant, 0.5))
