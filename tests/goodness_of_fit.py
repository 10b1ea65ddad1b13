"""P-values of chi-square tests with rare cells pooled."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
from scipy import stats


def chi_square_p(observed: Mapping[Hashable, int], expected: Mapping[Hashable, float]) -> float:
    """P-value of counts against probabilities; outcomes outside the support make it 0."""
    if any(expected.get(key, 0.0) <= 0 for key in observed):
        return 0.0
    draws = sum(observed.values())
    keys = sorted(expected, key=lambda key: -expected[key])
    want = np.array([expected[key] * draws for key in keys])
    got = np.array([observed.get(key, 0) for key in keys], dtype=float)
    return _pooled_p(got, want)


def two_sample_p(first: Mapping[Hashable, int], second: Mapping[Hashable, int]) -> float:
    """P-value of two samples of one law, rare outcomes pooled by their total."""
    keys = sorted(set(first) | set(second), key=lambda key: (-(first.get(key, 0) + second.get(key, 0)), key))
    table = np.array([[sample.get(key, 0) for key in keys] for sample in (first, second)], dtype=float)
    common = table.sum(axis=0) >= 20
    rest = table[:, ~common].sum(axis=1, keepdims=True)
    table = np.hstack([table[:, common], rest]) if rest.sum() >= 20 else table[:, common]
    return 1.0 if table.shape[1] < 2 else float(stats.chi2_contingency(table, correction=False).pvalue)


def _pooled_p(got: np.ndarray, want: np.ndarray) -> float:
    """want sorted from common to rare; the rare cells are one cell with at least 20 expected."""
    cut = int((want >= 20).sum())
    while cut > 0 and want[cut:].sum() < 20:
        cut -= 1
    got = np.append(got[:cut], got[cut:].sum())
    want = np.append(want[:cut], want[cut:].sum())
    if len(want) < 2:
        return 1.0
    return float(stats.chi2.sf(((got - want) ** 2 / want).sum(), len(want) - 1))


def histogram(values: np.ndarray) -> dict[int, int]:
    """How often each value occurs."""
    return {
        int(value): int(count) for value, count in zip(*np.unique(values, return_counts=True), strict=True)
    }
