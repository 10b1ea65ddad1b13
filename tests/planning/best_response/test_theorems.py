"""Best responses by what is known of them: duality, monotonicity, convexity, symmetry, unit values."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stackel_bench.models import FollowerMDP
from stackel_bench.planning.best_response import best_case_best_response, worst_case_best_response
from stackel_bench.streams import generator
from tests.planning.best_response.attained import METHODS, assert_attains, largest_value
from tests.planning.best_response.chord_numpy import worst_case_numpy
from tests.planning.follower_mdp_families import FAMILIES, follower_mdp


def one_state(leader, follower):
    """A bandit for the follower: one step, one state."""
    leader, follower = (np.array(values, dtype=float)[None, None] for values in (leader, follower))
    return FollowerMDP(np.ones((*leader.shape, 1)), leader, follower)


@pytest.mark.parametrize("shape", [(5, 60, 8), (12, 30, 5), (20, 20, 4), (2, 90, 3), (40, 6, 3)], ids=str)
@pytest.mark.parametrize("family", FAMILIES)
def test_multiplier_certifies_optimality_in_larger_models(family, shape):
    """Weak duality: the least V1 - multiplier V2, plus multiplier * target, bounds V1 from below."""
    mdp = follower_mdp(family, shape, 0)
    for slack in (0.01, 0.3):
        for method in METHODS:
            worst = worst_case_best_response(mdp, slack, method=method)
            assert_attains(mdp, worst, slack)
            dual_rewards = worst.multiplier * mdp.follower_rewards - mdp.leader_rewards
            free = -largest_value(mdp.transitions, dual_rewards, mdp.initial_state)
            bound = free + worst.multiplier * (worst.follower_optimum - slack)
            scale = 1 + worst.multiplier + np.abs(mdp.leader_rewards).max()
            assert worst.leader_value == pytest.approx(bound, abs=1e-11 * scale)
            optimum = largest_value(mdp.transitions, mdp.follower_rewards, mdp.initial_state)
            assert worst.follower_optimum == pytest.approx(optimum, abs=1e-11)


@pytest.mark.parametrize("family", FAMILIES)
def test_value_is_convex_and_falls_with_slack_at_the_rate_of_the_multiplier(family):
    mdp = follower_mdp(family, (6, 5, 3), 7)
    slacks = np.linspace(0, 1, 41)
    for method in METHODS:
        responses = [worst_case_best_response(mdp, slack, method=method) for slack in slacks.tolist()]
        values = np.array([response.leader_value for response in responses])
        assert np.all(np.diff(values) <= 1e-11)
        assert np.all(np.diff(values, 2) >= -1e-11)
        for n, response in enumerate(responses[1:], start=1):
            # A subgradient: the tangent at this slack lies below the values at all others.
            tangent = response.leader_value - response.multiplier * (slacks - slacks[n])
            assert np.all(tangent <= values + 1e-10)


@pytest.mark.parametrize("family", FAMILIES)
def test_best_case_is_the_worst_case_of_the_negated_leader(family):
    for seed, slack in ((0, 0.0), (1, 0.02), (2, 0.5)):
        mdp = follower_mdp(family, (4, 4, 3), seed)
        negated = FollowerMDP(mdp.transitions, -mdp.leader_rewards, mdp.follower_rewards, mdp.initial_state)
        for method in METHODS:
            best = best_case_best_response(mdp, slack, method=method)
            worst = worst_case_best_response(negated, slack, method=method)
            assert best.leader_value == -worst.leader_value
            assert np.array_equal(best.policy, worst.policy)
            assert (
                best.leader_value >= worst_case_best_response(mdp, slack, method=method).leader_value - 1e-13
            )


@pytest.mark.parametrize("method", METHODS)
def test_units_of_reward_do_not_matter(method):
    """Powers of two, so that the arithmetic is the same: tolerances follow each player's own unit."""
    for seed in range(20):
        mdp = follower_mdp("sparse", (5, 6, 3), seed)
        scaled = FollowerMDP(
            mdp.transitions, mdp.leader_rewards * 2.0**40, mdp.follower_rewards * 2.0**-30, mdp.initial_state
        )
        for slack in (0.0, 0.05):
            response = worst_case_best_response(mdp, slack, method=method)
            other = worst_case_best_response(scaled, slack * 2.0**-30, method=method)
            assert other.leader_value == response.leader_value * 2.0**40
            assert other.follower_value == response.follower_value * 2.0**-30
            assert np.array_equal(other.policy, response.policy)


@pytest.mark.parametrize("method", METHODS)
def test_names_of_states_and_actions_do_not_matter(method):
    rng = generator("relabelling")
    for seed in range(20):
        mdp = follower_mdp("dense", (4, 5, 4), seed)
        states, actions = rng.permutation(5), rng.permutation(4)
        order = np.ix_(range(4), states, actions)
        renamed = FollowerMDP(
            mdp.transitions[order][..., states],
            mdp.leader_rewards[order],
            mdp.follower_rewards[order],
            int(np.flatnonzero(states == mdp.initial_state)[0]),
        )
        expected = worst_case_best_response(mdp, 0.1, method=method)
        found = worst_case_best_response(renamed, 0.1, method=method)
        assert found.leader_value == pytest.approx(expected.leader_value, abs=1e-13)
        # Where the initial state is not, the first action does not matter.
        assert found.policy[1:] == pytest.approx(expected.policy[order][1:], abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_follower_may_randomise(method):
    """A follower who may only play actions would leave the leader 0.6; a mixture leaves 8/15."""
    response = worst_case_best_response(one_state([1, 0.6, 0], [1, 0.95, 0.5]), 0.1, method=method)
    assert response.leader_value == pytest.approx(8 / 15, abs=1e-15)
    assert response.follower_value == pytest.approx(0.9, abs=1e-15)
    assert response.policy[0, 0] == pytest.approx([0, 8 / 9, 1 / 9], abs=1e-15)
    assert response.multiplier == pytest.approx(0.6 / 0.45, abs=1e-14)
    assert response.status == "active"


@pytest.mark.parametrize("method", METHODS)
def test_statuses(method):
    mdp = one_state([1, 0], [1, 0])
    exact = worst_case_best_response(mdp, 0.0, method=method)
    assert (exact.status, exact.leader_value, exact.multiplier) == ("lexicographic", 1.0, math.inf)
    loose = worst_case_best_response(mdp, 2.0, method=method)
    assert (loose.status, loose.leader_value, loose.multiplier) == ("slack", 0.0, 0.0)
    kind = best_case_best_response(mdp, 0.5, method=method)
    assert (kind.status, kind.leader_value, kind.multiplier) == ("slack", 1.0, 0.0)
    same = one_state([0.5, 0.5], [1, 0])
    assert worst_case_best_response(same, 0.5, method=method).leader_value == 0.5


@pytest.mark.parametrize("method", METHODS)
def test_small_differences_are_not_ties_but_rounding_is(method):
    """A solver's tolerance would merge a gap of 1e-9, comparison of floats would split 0.1+0.2 and 0.3."""
    assert (
        worst_case_best_response(one_state([1, 0], [0.5, 0.5 - 1e-9]), 0.0, method=method).leader_value == 1
    )
    # Action 0 earns 0.1 then 0.2, action 1 earns 0.3 then 0: equal on paper, 0.30000000000000004 in floats.
    transitions = np.zeros((2, 2, 2, 2))
    transitions[:, :, 0, 0] = transitions[:, :, 1, 1] = 1
    follower = np.array([[[0.1, 0.3], [0, 0]], [[0.2, 0.2], [0, 0]]])
    leader = np.array([[[1, 0], [0, 0]], [[0, 0], [0, 0]]])
    mdp = FollowerMDP(transitions, leader, follower)
    assert worst_case_best_response(mdp, 0.0, method=method).leader_value == 0
    assert best_case_best_response(mdp, 0.0, method=method).leader_value == 1


def test_values_over_long_horizons_are_those_of_plain_numpy():
    for seed in range(10):
        mdp = follower_mdp("dense", (60, 8, 4), seed)
        reference = worst_case_numpy(mdp, 0.2)
        for method in METHODS:
            response = worst_case_best_response(mdp, 0.2, method=method)
            assert response.leader_value == pytest.approx(reference.leader_value, abs=1e-11)
            assert response.multiplier == pytest.approx(reference.multiplier, rel=1e-9)
