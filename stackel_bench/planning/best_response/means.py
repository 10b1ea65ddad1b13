"""Means over the next state, the inner loops of every best-response search.

The order of summation is left to the compiler, as in any BLAS; everything else is strict.
"""

from __future__ import annotations

import numpy as np

from stackel_bench.kernel import kernel


@kernel(forceinline=True, fastmath={"reassoc", "nsz"})
def mean(transitions: np.ndarray, h: int, s: int, b: int, values: np.ndarray) -> float:
    """The mean of values[0] [S] after playing b in s at step h."""
    total = 0.0
    for k in range(values.shape[1]):
        total += transitions[h, s, b, k] * values[0, k]
    return total


@kernel(forceinline=True, fastmath={"reassoc", "nsz"})
def mean_pair(
    transitions: np.ndarray, h: int, s: int, b: int, values: np.ndarray, i: int
) -> tuple[float, float]:
    """The means of values[i] and values[i+1]."""
    first = 0.0
    second = 0.0
    for k in range(values.shape[1]):
        p = transitions[h, s, b, k]
        first += p * values[i, k]
        second += p * values[i + 1, k]
    return first, second


@kernel(forceinline=True, fastmath={"reassoc", "nsz"})
def mean_pairs(
    transitions: np.ndarray, h: int, s: int, b: int, values: np.ndarray, others: np.ndarray
) -> tuple[float, float, float, float]:
    """The means of values [2,S] and of others [2,S], while each probability is read once."""
    first = 0.0
    second = 0.0
    third = 0.0
    fourth = 0.0
    for k in range(values.shape[1]):
        p = transitions[h, s, b, k]
        first += p * values[0, k]
        second += p * values[1, k]
        third += p * others[0, k]
        fourth += p * others[1, k]
    return first, second, third, fourth
