"""Returns the constrained best response by the chord search in numpy: the readable form of the kernels."""

from __future__ import annotations

import numpy as np

from stackel_bench.planning.best_response_findings import (
    ACTIVE,
    CONSTANT,
    GAP,
    LEXICOGRAPHIC,
    MAX_PASSES,
    SLACK,
    TIE,
    UNFINISHED,
)
from stackel_bench.planning.optimal_value import (
    deterministic_values,
    lexicographic_actions,
    optimal_action_values,
    optimal_value,
)


def search_chords_numpy(
    transitions: np.ndarray,
    leader_rewards: np.ndarray,
    follower_rewards: np.ndarray,
    initial_states: np.ndarray,
    slacks: np.ndarray,
    sign: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Policies [M,H,S,B] and findings [M,7] of M models, transitions [M,H,S,B,S], rewards [M,H,S,B].

    sign = 1 minimises the leader's value, sign = -1 maximises it.
    """
    models = zip(transitions, leader_rewards, follower_rewards, initial_states, slacks, strict=True)
    answers = [_search(*model, sign) for model in models]
    return np.array([policy for policy, _ in answers]), np.array([findings for _, findings in answers])


def _search(
    transitions: np.ndarray,
    leader_rewards: np.ndarray,
    follower_rewards: np.ndarray,
    initial_state: int,
    slack: float,
    sign: float,
) -> tuple[np.ndarray, list[float]]:
    """The policy [H,S,B] and the findings of one model."""
    first, second = sign * leader_rewards, follower_rewards
    both = np.stack([first, second], axis=-1)
    horizon = len(first)
    scale1, scale2 = _scale(first), _scale(second)
    tie = TIE * horizon

    def values(actions: np.ndarray) -> tuple[float, float]:
        v1, v2 = deterministic_values(transitions, both, actions)[initial_state].tolist()
        return v1, v2

    def result(weight: float, multiplier: float, status: int) -> tuple[np.ndarray, list[float]]:
        policy = _mixture_policy(transitions, initial_state, actions_a, actions_b, other, weight)
        value1 = a1 if weight == 1 else b1 + weight * (a1 - b1)
        value2 = a2 if weight == 1 else b2 + weight * (a2 - b2)
        return policy, [sign * value1, value2, optimum, multiplier, weight, status, passes]

    optimum = optimal_value(transitions, second, initial_state)
    target = optimum - slack
    actions_a = lexicographic_actions(transitions, second, -first, tie * scale2)
    actions_b = lexicographic_actions(transitions, -first, second, tie * scale1)
    (a1, a2), (b1, b2) = values(actions_a), values(actions_b)
    passes = 1
    other = actions_a
    if slack <= horizon * tie * scale2:
        return result(1.0, np.inf, LEXICOGRAPHIC)
    if b2 >= target:
        other = actions_b
        return result(0.0, 0.0, SLACK)
    while passes < MAX_PASSES:
        run, rise = (a2 - b2) / scale2, (a1 - b1) / scale1
        if rise <= GAP * horizon:
            other = actions_a
            return result(1.0, 0.0, CONSTANT)
        weight1, weight2 = run / (run + rise) / scale1, rise / (run + rise) / scale2
        other = optimal_action_values(transitions, weight2 * second - weight1 * first).argmax(axis=2)
        c1, c2 = values(other)
        passes += 1
        drop = weight1 * (a1 - c1) - weight2 * (a2 - c2)
        if drop <= GAP * horizon or not b2 < c2 < a2:
            weight = min(max((target - b2) / (a2 - b2), 0.0), 1.0)
            return result(weight, (a1 - b1) / (a2 - b2), ACTIVE)
        if c2 >= target:
            actions_a, a1, a2 = other, c1, c2
        else:
            actions_b, b1, b2 = other, c1, c2
    return result(1.0, 0.0, UNFINISHED)


def _scale(rewards: np.ndarray) -> float:
    # The power of two above every |reward|, so that dividing by it is exact; 1 where all are 0.
    largest = float(np.abs(rewards).max())
    return float(np.ldexp(1.0, np.frexp(largest)[1])) if largest > 0 else 1.0


def _mixture_policy(
    transitions: np.ndarray,
    initial_state: int,
    actions_a: np.ndarray,
    actions_b: np.ndarray,
    actions_elsewhere: np.ndarray,
    weight: float,
) -> np.ndarray:
    """The Markov policy [H,S,B] that plays as actions_a with probability weight, else as actions_b."""
    horizon, num_states, num_actions, _ = transitions.shape
    states = np.arange(num_states)
    policy = np.zeros((horizon, num_states, num_actions))
    mass_a, mass_b = np.zeros(num_states), np.zeros(num_states)
    mass_a[initial_state], mass_b[initial_state] = weight, 1 - weight
    for step in range(horizon):
        a, b = actions_a[step], actions_b[step]
        total = mass_a + mass_b
        share = np.divide(mass_a, total, out=np.ones(num_states), where=total > 0)
        policy[step, states, a] = share
        policy[step, states, b] += 1 - share
        policy[step, total == 0] = np.eye(num_actions)[actions_elsewhere[step, total == 0]]
        mass_a, mass_b = mass_a @ transitions[step, states, a], mass_b @ transitions[step, states, b]
    return policy
