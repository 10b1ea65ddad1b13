"""Values over balls of models: by brute force over their corners, and in their limits."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from stackel_bench.models import FollowerMDP
from stackel_bench.planning import policy_values, worst_case_best_response
from stackel_bench.planning.kl_ball.ball import largest_mean
from stackel_bench.planning.kl_ball.induction import TransitionBalls, best_policy, policy_value
from tests.simulation.per_episode import one_hot, random_mdp

SHAPE = (3, 2, 2)


def value(transitions: np.ndarray, rewards: np.ndarray, policy: np.ndarray) -> float:
    return policy_values(FollowerMDP(transitions, rewards, rewards), policy).follower_value


@pytest.mark.parametrize("seed", range(6))
def test_two_states_by_brute_force(seed: int) -> None:
    """With two states a ball is an interval of laws; extreme models have every law at an end of its own.

    Only 6 laws can be met before the last step and 5 actions chosen: 64 models and 32 policies are all.
    """
    rng = np.random.default_rng(seed)
    laws = random_mdp(rng, SHAPE).transitions
    rewards = rng.uniform(-1, 1, SHAPE)
    radii = 10 ** rng.uniform(-3, 0.5, SHAPE)
    radii[rng.random(SHAPE) < 0.2] = math.inf
    balls = TransitionBalls(np.array(laws), radii)
    met = [(0, 0, b) for b in range(2)] + [(1, s, b) for s in range(2) for b in range(2)]
    first = np.array([1.0, 0.0])
    ends = [
        (-largest_mean(laws[k], first, radii[k], -1.0), largest_mean(laws[k], first, radii[k], 1.0))
        for k in met
    ]
    policies = []
    for chosen in product(range(2), repeat=5):
        actions = np.zeros((3, 2), dtype=int)
        actions[0, 0], actions[1], actions[2] = chosen[0], chosen[1:3], chosen[3:]
        policies.append(one_hot(actions, 2))
    policies.append(rng.dirichlet(np.ones(2), size=(3, 2)))
    values = np.empty((64, len(policies)))
    for number, corner in enumerate(product(range(2), repeat=6)):
        model = np.array(laws)
        for k, interval, end in zip(met, ends, corner, strict=True):
            model[k] = interval[end], 1 - interval[end]
        values[number] = [value(np.clip(model, 0, 1), rewards, policy) for policy in policies]
    pure = values[:, :-1]
    assert best_policy(balls, rewards, 1.0)[0][0] == pytest.approx(pure.max(), abs=1e-10)
    assert best_policy(balls, rewards, -1.0)[0][0] == pytest.approx(pure.min(axis=0).max(), abs=1e-10)
    for column, policy in enumerate(policies):
        for side, found in ((1.0, values[:, column].max()), (-1.0, values[:, column].min())):
            assert policy_value(balls, rewards, policy, side)[0] == pytest.approx(found, abs=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_without_a_radius_it_is_planning_and_without_a_limit_it_is_what_is_best_anywhere(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mdp = random_mdp(rng, (4, 3, 3))
    rewards, policy = np.array(mdp.follower_rewards), rng.dirichlet(np.ones(3), size=(4, 3))
    laws, radii = np.array(mdp.transitions), np.zeros(mdp.shape)
    optimum = worst_case_best_response(mdp, 0.0).follower_optimum
    for side in (1.0, -1.0):
        values, actions = best_policy(TransitionBalls(laws, radii), rewards, side)
        assert 0 <= side * (values[0] - optimum) < 1e-12
        assert policy_values(mdp, one_hot(actions, 3)).follower_value == pytest.approx(optimum)
        played = policy_value(TransitionBalls(laws, radii), rewards, policy, side)[0]
        assert 0 <= side * (played - policy_values(mdp, policy).follower_value) < 1e-12
        anywhere = best_policy(TransitionBalls(laws, radii + np.inf), rewards, side)[0][0]
        later = rewards.max(axis=2).max(axis=1) if side > 0 else rewards.max(axis=2).min(axis=1)
        assert anywhere == pytest.approx(rewards[0, 0].max() + later[1:].sum())
