"""A bound on sup over policies and players of |estimated value - true value|, valid at any stopping time.

RF-UCRL's recursion (Kaufmann et al. 2021) with a centred transition bonus and a reward bonus for two unknown
random rewards in [0, 1]: with delta_r = delta_P = delta/(2A), for n visits of (h,s,b), h = 1..H,

    b_r = sqrt((1 + 1/n) ln(2 S B H sqrt(n+1) / delta_r) / (2n))
    b_P = (H-h) sqrt((ln(S B H / delta_P) + (S-1) ln(e (1 + n/(S-1)))) / (2n))
    E_h(s,b) = min(H-h+1, b_r + b_P + sum_s' p_hat(s') max_b' E_{h+1}(s',b'))

With probability 1 - delta, for all leader actions at once, max_b E_1(s_1,b) is the bound. Both bonuses are
time-uniform, so any adaptive or batched way of collecting the counts is allowed.
"""

import math
from collections.abc import Callable

import numpy as np

from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.kernel import kernel

UNVISITED = 0.25  # visits that an unvisited triple counts for, so that its bonus tops every visited one


def certificate_bonus(visits: np.ndarray, goal: Goal) -> np.ndarray:
    """b_r + b_P [H,S,B] for visits [H,S,B] that may be fractional; infinite where there are none."""
    horizon, states, actions = visits.shape
    n = np.where(visits > 0, visits, 1.0)
    share = goal.delta / (2 * goal.num_leader_actions)
    triples = states * actions * horizon
    reward = np.sqrt((1 + 1 / n) * (math.log(2 * triples / share) + 0.5 * log1p_each(n)) / (2 * n))
    spread = (states - 1) * (1 + log1p_each(n / (states - 1))) if states > 1 else 0.0
    later = np.arange(horizon - 1, -1, -1)[:, None, None]
    transition = later * np.sqrt((math.log(triples / share) + spread) / (2 * n))
    return np.where(visits > 0, reward + transition, np.inf)


def certified_error(counts: np.ndarray, initial_state: int, goal: Goal) -> float:
    """The certificate max_b E_1(s_1,b) of transition counts [H,S,B,S] and the rewards seen with them."""
    caps = np.arange(len(counts), 0.0, -1.0)
    _, values = propagated_bonus(counts, certificate_bonus(counts.sum(axis=3), goal), caps, 1.0)
    return float(values[0, initial_state])


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
