"""Backward recursions over counts: the value of a bonus that is collected along the estimated transitions."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from stackel_bench.kernel import kernel

UNVISITED = 0.25  # visits that an unvisited triple counts for, so that its bonus tops every visited one


def uncapped_values(
    counts: np.ndarray, bonus: Callable[[np.ndarray], np.ndarray], inflation: float
) -> np.ndarray:
    """Q [H,S,B] of the recursion without caps, for a bonus that is a function of visits [H,S,B] > 0."""
    visits = np.maximum(counts.sum(axis=3), UNVISITED)
    return propagated_bonus(counts, bonus(visits), np.full(len(counts), np.inf), inflation)[0]


@kernel
def log1p_each(values: np.ndarray) -> np.ndarray:
    """ln(1 + x) of each entry; numpy's own has other last bits on other processors."""
    logs = np.empty(values.shape)
    for index, value in np.ndenumerate(values):
        logs[index] = math.log1p(value)
    return logs


@kernel
def propagated_bonus(
    counts: np.ndarray, bonus: np.ndarray, caps: np.ndarray, inflation: float
) -> tuple[np.ndarray, np.ndarray]:
    """Q [H,S,B] and V [H+1,S] of Q_h = min(cap_h, bonus_h + inflation * p_hat V_{h+1}), V_h = max_b Q_h.

    counts int64 [H,S,B,S]; p_hat is uniform where nothing was counted; bonus [H,S,B] may be infinite where
    caps [H] are finite.
    """
    horizon, states, actions, _ = counts.shape
    q = np.zeros((horizon, states, actions))
    v = np.zeros((horizon + 1, states))
    for h in range(horizon - 1, -1, -1):
        mean_next = v[h + 1].mean()
        for s in range(states):
            best = -np.inf
            for b in range(actions):
                total = 0.0
                value = 0.0
                for j in range(states):
                    count = float(counts[h, s, b, j])
                    total += count
                    value += count * v[h + 1, j]
                value = value / total if total > 0.0 else mean_next
                q[h, s, b] = min(caps[h], bonus[h, s, b] + inflation * value)
                best = max(best, q[h, s, b])
            v[h, s] = best
    return q, v
