"""Means over the next state, the inner loops of every best-response search.

Sums run in four lanes, every fourth state, that are added at the end: always in this order, so that no
processor changes a bit. That costs up to twice the time of sums in any order: little beside exploring.
"""

from __future__ import annotations

import numpy as np

from stackel_bench.kernel import kernel


@kernel(forceinline=True)
def _dot(weights: np.ndarray, values: np.ndarray) -> float:
    lane_0 = lane_1 = lane_2 = lane_3 = 0.0
    whole = len(values) - len(values) % 4
    for k in range(0, whole, 4):
        lane_0 += weights[k] * values[k]
        lane_1 += weights[k + 1] * values[k + 1]
        lane_2 += weights[k + 2] * values[k + 2]
        lane_3 += weights[k + 3] * values[k + 3]
    total = (lane_0 + lane_1) + (lane_2 + lane_3)
    for k in range(whole, len(values)):
        total += weights[k] * values[k]
    return total


@kernel(forceinline=True)
def mean(transitions: np.ndarray, h: int, s: int, b: int, values: np.ndarray) -> float:
    """The mean of values[0] [S] after playing b in s at step h."""
    return _dot(transitions[h, s, b], values[0])


@kernel(forceinline=True)
def mean_pair(
    transitions: np.ndarray, h: int, s: int, b: int, values: np.ndarray, i: int
) -> tuple[float, float]:
    """The means of values[i] and values[i+1]."""
    weights = transitions[h, s, b]
    return _dot(weights, values[i]), _dot(weights, values[i + 1])


@kernel(forceinline=True)
def mean_pairs(
    transitions: np.ndarray, h: int, s: int, b: int, values: np.ndarray, others: np.ndarray
) -> tuple[float, float, float, float]:
    """The means of values [2,S] and of others [2,S]."""
    first, second = mean_pair(transitions, h, s, b, values, 0)
    third, fourth = mean_pair(transitions, h, s, b, others, 0)
    return first, second, third, fourth
