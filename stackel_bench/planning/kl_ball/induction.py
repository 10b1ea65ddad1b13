"""Backward induction over all models whose transitions lie in given balls: the best model, or the worst.

The balls of different (h,s,b) do not constrain each other, so one backward induction finds the extreme model
together with the value. Values end on the wide side: what is largest is not underestimated, what is smallest
not overestimated. The last layer's transitions matter to nobody and are not looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.kl_ball.ball import OUTWARDS, largest_mean


class TransitionBalls(NamedTuple):
    """Laws [H,S,B,S] of the next state, each known up to a radius [H,S,B] (infinite: not at all)."""

    laws: np.ndarray
    radii: np.ndarray


@kernel
def best_policy(balls: TransitionBalls, rewards: np.ndarray, side: float) -> tuple[np.ndarray, np.ndarray]:
    """Values [S] from layer 0 on and actions [H,S] of the policy that is best in the best or worst model.

    side 1: at least the maximum over policies and models; side -1: at most the maximum over policies of the
    minimum over models. rewards [H,S,B] may have any sign.
    """
    horizon, states, num_actions = rewards.shape
    values, here = np.zeros(states), np.zeros(states)
    actions = np.zeros((horizon, states), dtype=np.int64)
    for h in range(horizon - 1, -1, -1):
        for s in range(states):
            best = -np.inf
            for b in range(num_actions):
                value = _worth(balls, rewards, values, h, s, b, side)
                if value > best:
                    best = value
                    actions[h, s] = b
            here[s] = best
        values, here = here, values
    return values, actions


@kernel
def policy_value(balls: TransitionBalls, rewards: np.ndarray, policy: np.ndarray, side: float) -> np.ndarray:
    """Values [S] from layer 0 on of a Markov policy [H,S,B] in the best (side 1) or worst model (side -1)."""
    horizon, states, num_actions = rewards.shape
    values, here = np.zeros(states), np.zeros(states)
    for h in range(horizon - 1, -1, -1):
        for s in range(states):
            total = size = 0.0
            for b in range(num_actions):
                if policy[h, s, b] > 0.0:
                    value = _worth(balls, rewards, values, h, s, b, side)
                    total += policy[h, s, b] * value
                    size += abs(policy[h, s, b] * value)
            here[s] = total + side * OUTWARDS * size
        values, here = here, values
    return values


@kernel
def _worth(
    balls: TransitionBalls, rewards: np.ndarray, values: np.ndarray, h: int, s: int, b: int, side: float
) -> float:
    reward = float(rewards[h, s, b])
    if h == rewards.shape[0] - 1:
        return reward
    later: float = side * largest_mean(balls.laws[h, s, b], values, balls.radii[h, s, b], side)
    return reward + later + side * OUTWARDS * (abs(reward) + abs(later))
