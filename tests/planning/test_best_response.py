"""Best responses against HiGHS on the occupancy program, and against themselves by theorems."""

from __future__ import annotations

import numpy as np
import pytest

from stackel_bench.planning.best_response import best_case_best_response, worst_case_best_response
from tests import occupancy_lp
from tests.planning.follower_mdp_families import FAMILIES, SHAPES, follower_mdp

METHODS = ("chord", "eliminate", "numpy")
RESPONSES = {True: worst_case_best_response, False: best_case_best_response}


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


@pytest.mark.parametrize("family", FAMILIES)
def test_agrees_with_highs_on_the_occupancy_program(family):
    """14 families x 9 shapes x 2 seeds x 4 slacks x worst and best: 2,016 instances for each method."""
    for shape in SHAPES:
        for seed in range(2):
            mdp = follower_mdp(family, shape, seed)
            program = occupancy_lp.occupancy_program(mdp)
            optimum = occupancy_lp.follower_optimum(program)
            for slack in (1e-3, 0.05, 0.4, 100.0):
                for worst, respond in RESPONSES.items():
                    expected = occupancy_lp.leader_value(program, optimum - slack, worst=worst)
                    for method in METHODS:
                        response = respond(mdp, slack, method=method)
                        assert response.leader_value == pytest.approx(expected, abs=1e-9)
                        assert response.follower_optimum == pytest.approx(optimum, abs=1e-9)
                        assert_attains(mdp, response, slack)
