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

import numpy as np

from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.exploration.uncertainty import log1p_each, propagated_bonus


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
