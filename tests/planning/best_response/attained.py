"""What a policy earns and what is the most that any policy earns, by plain backward induction."""

from __future__ import annotations

import numpy as np
import pytest

METHODS = ("chord", "eliminate")


def backward_values(mdp, policy):
    """(V1, V2) of a Markov policy, backwards in time, in a way of its own."""
    values = np.zeros((2, mdp.shape[1]))
    rewards = np.stack([mdp.leader_rewards, mdp.follower_rewards])
    for step in reversed(range(mdp.shape[0])):
        action_values = rewards[:, step] + np.einsum("sbt,it->isb", mdp.transitions[step], values)
        values = np.einsum("sb,isb->is", policy[step], action_values)
    return values[:, mdp.initial_state]


def assert_attains(mdp, response, slack):
    """The policy is a policy, attains both values, and is feasible."""
    scale = 1 + np.abs(mdp.leader_rewards).max() + np.abs(mdp.follower_rewards).max()
    assert response.policy.shape == mdp.shape
    assert np.all(response.policy >= 0)
    assert np.abs(response.policy.sum(axis=2) - 1).max() <= 1e-15
    leader, follower = backward_values(mdp, response.policy)
    assert leader == pytest.approx(response.leader_value, abs=1e-13 * scale)
    assert follower == pytest.approx(response.follower_value, abs=1e-13 * scale)
    assert follower >= response.follower_optimum - slack - 1e-12 * scale


def largest_value(transitions, rewards, start):
    values = np.zeros(rewards.shape[1])
    for step in reversed(range(len(rewards))):
        values = (rewards[step] + transitions[step] @ values).max(axis=1)
    return values[start]
