"""Bounds of phi_s, the least leader value of policies within s of the best one, over all possible models.

V2, the follower's best value, is at least optimum_low and at most optimum_high. For every multiplier m >= 0,
and for every policy pi that is surely within s, weak duality and membership give

    m (optimum_low - s) - best(m r2+ - r1-) <= phi_s <= highest(r1+, pi).

psi_s is -phi_s of the leader's negated reward. docs/certified.md has the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from stackel_bench.families.bandit_rl.stopping.model_set import ModelSet
from stackel_bench.planning.kl_ball.ball import OUTWARDS

MULTIPLIERS = 9  # tried beside 0 and the estimate's own: 2H/epsilon, and halves of it
GOLDEN_STEPS = 7  # between the best one's neighbours
_GOLDEN = (5**0.5 - 1) / 2


def outer_bound(
    models: ModelSet,
    leader_low: np.ndarray,
    optimum_low: float,
    slack: float,
    largest: float,
    estimated: float,
) -> tuple[float, np.ndarray]:
    """At most phi_slack; and the actions [H,S] of the dual's policy at the estimated multiplier.

    That policy is worth playing: the multiplier that is best for the bound stays at 0 as long as the bound is
    trivial, and its policy tells nothing. `largest` is the largest multiplier that is tried.
    """
    estimated = min(max(estimated, 0.0), largest)

    def bound(multiplier: float) -> tuple[float, np.ndarray]:
        value, actions = models.best(multiplier * models.follower.high - leader_low)
        rounding = OUTWARDS * (multiplier * (abs(optimum_low) + slack) + abs(value))
        return multiplier * (optimum_low - slack) - value - rounding, actions

    grid = sorted({0.0, estimated, *(largest / 2**k for k in range(MULTIPLIERS))})
    found = [bound(multiplier) for multiplier in grid]
    values = [value for value, _ in found]
    at = int(np.argmax(values))
    ends = grid[max(0, at - 1)], grid[min(at + 1, len(grid) - 1)]
    return max(values[at], _searched(lambda m: bound(m)[0], *ends)), found[grid.index(estimated)][1]


def inner_bound(
    models: ModelSet,
    leader_high: np.ndarray,
    optimum_high: float,
    slack: float,
    policies: Sequence[np.ndarray],
) -> tuple[float, np.ndarray | None]:
    """At least phi_slack; and the policy among these that shows it, None if none is surely within slack."""
    best, shown = models.best(leader_high)[0], None
    for policy in policies:
        if models.lowest(models.follower.low, policy) >= optimum_high - slack:
            value = models.highest(leader_high, policy)
            if shown is None or value < best:
                best, shown = min(best, value), policy
    return best, shown


def _searched(bound: Callable[[float], float], low: float, high: float) -> float:
    """The largest value that a golden-section search for the maximum of a concave function meets."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = bound(left), bound(right)
    best = max(at_left, at_right)
    for _ in range(GOLDEN_STEPS - 2):
        if at_left >= at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = bound(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = bound(right)
        best = max(best, at_left, at_right)
    return best
