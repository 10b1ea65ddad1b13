"""Many best responses in one call equal one by one, and wrong arguments are named."""

from __future__ import annotations

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models import FollowerMDP, TieBreaking
from stackel_bench.planning.best_response import (
    METHODS,
    best_case_best_response,
    best_responses,
    worst_case_best_response,
)
from tests.planning.follower_mdp_families import FAMILIES, follower_mdp

SINGLE = {"pessimistic": worst_case_best_response, "optimistic": best_case_best_response}


def assert_same(found, expected):
    assert np.array_equal(found.policy, expected.policy)
    assert found.leader_value == expected.leader_value
    assert found.follower_value == expected.follower_value
    assert found.follower_optimum == expected.follower_optimum
    assert np.array_equal(found.multiplier, expected.multiplier, equal_nan=True)
    assert found.status == expected.status


@pytest.mark.parametrize("tie_breaking", SINGLE)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(4, 3, 3), (4, 30, 5)], ids=["stacked", "one by one"])
def test_many_leader_actions_at_once_equal_one_by_one(shape, method, tie_breaking):
    mdps = [follower_mdp(family, shape, 3) for family in FAMILIES]
    for slack in (0.0, 0.1):
        for found, mdp in zip(best_responses(mdps, slack, tie_breaking, method=method), mdps, strict=True):
            assert_same(found, SINGLE[tie_breaking](mdp, slack, method=method))


def test_each_model_may_have_its_own_slack_and_shape():
    mdps = [follower_mdp("dense", shape, 0) for shape in ((2, 3, 2), (2, 3, 2), (5, 4, 3))]
    slacks = [0.0, 0.05, 0.4]
    for chosen in (slice(None), slice(2)):
        found = best_responses(mdps[chosen], slacks[chosen], TieBreaking.PESSIMISTIC)
        for response, mdp, slack in zip(found, mdps[chosen], slacks[chosen], strict=True):
            assert_same(response, worst_case_best_response(mdp, slack))
    assert best_responses([], 0.1, "optimistic") == []


MDP = follower_mdp("dense", (2, 2, 2), 0)


@pytest.mark.parametrize(
    ("slack", "named"),
    [
        (-0.1, "slack: found -0.1, allowed: a finite number in [0, inf)"),
        (float("nan"), "slack: found nan"),
        (float("inf"), "slack: found inf"),
        ("0.1", "slack: found '0.1'"),
        (None, "slack: found None"),
    ],
)
@pytest.mark.parametrize("respond", SINGLE.values())
def test_wrong_slack_is_named(respond, slack, named):
    with pytest.raises(InputError) as caught:
        respond(MDP, slack)
    assert str(caught.value).startswith(named)


def test_wrong_arguments_are_named():
    with pytest.raises(InputError, match="unknown method 'simplex'; choose one of auto, chord"):
        worst_case_best_response(MDP, 0.1, method="simplex")
    with pytest.raises(InputError, match="unknown tie_breaking 'worst'"):
        best_responses([MDP], 0.1, "worst")
    with pytest.raises(InputError, match=r"mdps\[1\]: found 3, allowed: a FollowerMDP"):
        best_responses([MDP, 3], 0.1, "optimistic")
    with pytest.raises(InputError, match=r"slack\.shape: found \(1,\)"):
        best_responses([MDP, MDP], [0.1], "optimistic")
    with pytest.raises(InputError, match=r"slack\[1\]: found -0.2"):
        best_responses([MDP, MDP], [0.1, -0.2], "optimistic")


def test_wrong_models_are_named():
    transitions, rewards = np.full((2, 2, 2, 2), 0.5), np.zeros((2, 2, 2))
    transitions[1, 0, 1, 0] = 0.6
    with pytest.raises(InputError, match=r"sum of transitions\[1,0,1\]: found 1\.1"):
        FollowerMDP(transitions, rewards, rewards)
    transitions[1, 0, 1] = [1.5, -0.5]
    with pytest.raises(InputError, match=r"transitions\[1,0,1,1\]: found -0\.5"):
        FollowerMDP(transitions, rewards, rewards)
    transitions[1, 0, 1] = 0.5
    rewards[0, 1, 1] = np.nan
    with pytest.raises(InputError, match=r"leader_rewards\[0,1,1\]: found nan"):
        FollowerMDP(transitions, rewards, np.zeros((2, 2, 2)))
    with pytest.raises(InputError, match=r"follower_rewards\.shape"):
        FollowerMDP(transitions, np.zeros((2, 2, 2)), np.zeros((2, 2, 3)))
