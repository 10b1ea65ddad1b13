"""Returns the largest value of one reward in a follower MDP, and lexicographic optima of two (numpy)."""

from __future__ import annotations

import numpy as np


def optimal_value(transitions: np.ndarray, rewards: np.ndarray, initial_state: int = 0) -> float:
    """The largest expected sum of rewards [H,S,B] from the initial state, transitions [H,S,B,S]."""
    return float(optimal_action_values(transitions, rewards)[0, initial_state].max())


def optimal_action_values(transitions: np.ndarray, rewards: np.ndarray) -> np.ndarray:
    """Q* [H,S,B] of rewards [H,S,B] by backward induction; the last step's transitions are never read."""
    action_values = rewards.copy()
    _, states, actions = rewards.shape
    for step in range(len(rewards) - 2, -1, -1):
        # Flat, so that it is one product with one matrix and not one for each state.
        following = transitions[step].reshape(states * actions, states) @ action_values[step + 1].max(axis=1)
        action_values[step] += following.reshape(states, actions)
    return action_values


def lexicographic_actions(
    transitions: np.ndarray, first: np.ndarray, second: np.ndarray, tie_tolerance: float
) -> np.ndarray:
    """Actions [H,S] that maximise the sum of first and, among those that do, the sum of second.

    A policy is optimal for first if and only if it plays actions optimal for first wherever it comes by, so
    second is maximised over those. Ties are judged against the exact Q* of first; lowest index otherwise.
    """
    exact = optimal_action_values(transitions, first)
    tied = exact >= exact.max(axis=2, keepdims=True) - tie_tolerance
    return optimal_action_values(transitions, np.where(tied, second, -np.inf)).argmax(axis=2)


def deterministic_values(transitions: np.ndarray, rewards: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Values [S,K] at the first step of the deterministic policy actions [H,S], K rewards [H,S,B,K]."""
    states = np.arange(rewards.shape[1])
    values = rewards[-1, states, actions[-1]]
    for step in range(len(rewards) - 2, -1, -1):
        values = rewards[step, states, actions[step]] + transitions[step, states, actions[step]] @ values
    return values
