"""Policy values against backward evaluation, the flow equalities, and enumeration of trajectories."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models import FollowerMDP
from stackel_bench.planning.best_response.policy_evaluation import occupancy, policy_values
from stackel_bench.streams import generator
from tests import occupancy_lp
from tests.planning.best_response.attained import backward_values
from tests.planning.follower_mdp_families import FAMILIES, SHAPES, follower_mdp


def random_policy(rng, shape):
    policy = rng.dirichlet(np.ones(shape[2]), size=shape[:2])
    pure = rng.random(shape[:2]) < 0.3
    policy[pure] = np.eye(shape[2])[rng.integers(shape[2], size=pure.sum())]
    return policy


@pytest.mark.parametrize("family", FAMILIES)
def test_values_and_occupancy_of_random_policies(family):
    """14 families x 9 shapes x 5 policies: 630 instances, forward against backward and flow."""
    rng = generator("random policies", family)
    for shape in SHAPES:
        mdp = follower_mdp(family, shape, 1)
        program = occupancy_lp.occupancy_program(mdp)
        for _ in range(5):
            policy = random_policy(rng, shape)
            values = policy_values(mdp, policy)
            expected = backward_values(mdp, policy)
            assert [values.leader_value, values.follower_value] == pytest.approx(expected, abs=1e-12)
            played = occupancy(mdp, policy)
            assert program.flow @ played.ravel() == pytest.approx(program.entry, abs=1e-14)
            assert played == pytest.approx(played.sum(axis=2, keepdims=True) * policy, abs=1e-15)


def test_value_is_the_sum_over_all_trajectories():
    mdp = follower_mdp("dense", (3, 2, 2), 5)
    policy = random_policy(generator("trajectories"), mdp.shape)
    totals = np.zeros(2)
    for states, actions in product(product(range(2), repeat=3), product(range(2), repeat=3)):
        probability = float(states[0] == mdp.initial_state)
        earned = np.zeros(2)
        for step, (state, action) in enumerate(zip(states, actions, strict=True)):
            probability *= policy[step, state, action]
            if step < 2:
                probability *= mdp.transitions[step, state, action, states[step + 1]]
            earned += mdp.leader_rewards[step, state, action], mdp.follower_rewards[step, state, action]
        totals += probability * earned
    values = policy_values(mdp, policy)
    assert [values.leader_value, values.follower_value] == pytest.approx(totals, abs=1e-14)


def test_wrong_policies_are_named():
    mdp = FollowerMDP(np.ones((2, 1, 2, 1)), np.zeros((2, 1, 2)), np.zeros((2, 1, 2)))
    good = np.full((2, 1, 2), 0.5)
    for index, value, named in (
        ((1, 0, 1), 0.6, r"sum of policy\[1,0\]: found 1\.1"),
        ((0, 0, 1), -0.5, r"policy\[0,0,1\]: found -0\.5"),
        ((1, 0, 0), np.nan, r"policy\[1,0,0\]: found nan"),
    ):
        policy = good.copy()
        policy[index] = value
        with pytest.raises(InputError, match=named):
            policy_values(mdp, policy)
    with pytest.raises(InputError, match=r"policy\.shape: found \(2, 1, 3\)"):
        occupancy(mdp, np.full((2, 1, 3), 1 / 3))
