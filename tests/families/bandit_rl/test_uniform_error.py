"""The uniform error against plain enumeration, and its bound against the error."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.diagnosis import reward_error, uniform_error
from stackel_bench.models import FollowerMDP
from stackel_bench.streams import generator
from tests.simulation.per_episode import one_hot, random_mdp


def _value(mdp: FollowerMDP, rewards: np.ndarray, policy: np.ndarray) -> float:
    """Forward: probability of every state times the reward collected there."""
    here = np.eye(mdp.shape[1])[mdp.initial_state]
    total = 0.0
    for h in range(mdp.shape[0]):
        taken = here[:, None] * policy[h]
        total += float((taken * rewards[h]).sum())
        here = np.einsum("sb,sbt->t", taken, mdp.transitions[h])
    return total


def _brute_force(estimate: FollowerMDP, truth: FollowerMDP) -> float:
    horizon, states, actions = truth.shape
    worst = 0.0
    for choice in product(range(actions), repeat=horizon * states):
        policy = one_hot(np.reshape(choice, (horizon, states)), actions)
        for name in ("leader_rewards", "follower_rewards"):
            gap = _value(estimate, getattr(estimate, name), policy) - _value(
                truth, getattr(truth, name), policy
            )
            worst = max(worst, abs(gap))
    return worst


@pytest.mark.parametrize(
    "shape", [(1, 1, 1), (1, 3, 2), (3, 1, 3), (2, 2, 3), (3, 2, 2), (4, 1, 2), (2, 3, 1)]
)
def test_enumeration(shape: tuple[int, int, int]) -> None:
    for seed in range(10):
        rng = generator("pair", *shape, seed)
        start = int(rng.integers(shape[1]))
        estimate, truth = random_mdp(rng, shape, start=start), random_mdp(rng, shape, start=start)
        found = uniform_error(estimate, truth)
        assert found == pytest.approx(_brute_force(estimate, truth), abs=1e-12)
        rewards = FollowerMDP(truth.transitions, estimate.leader_rewards, estimate.follower_rewards, start)
        assert reward_error(estimate, truth) == pytest.approx(_brute_force(rewards, truth), abs=1e-12)


def test_the_bound_is_one() -> None:
    """100 pairs; the bound is never below the exact error and zero for equal models."""
    for seed in range(100):
        rng = generator("bound", seed)
        shape = (int(rng.integers(1, 5)), int(rng.integers(1, 4)), int(rng.integers(1, 3)))
        truth = random_mdp(rng, shape)
        other = random_mdp(rng, shape)
        near = FollowerMDP(
            0.9 * truth.transitions + 0.1 * other.transitions,
            0.9 * truth.leader_rewards + 0.1 * other.leader_rewards,
            truth.follower_rewards,
        )
        exact = uniform_error(near, truth)
        bound = uniform_error(near, truth, max_policies=0)
        assert uniform_error(truth, truth, max_policies=0) == 0
        assert bound >= exact - 1e-12
        if shape[0] == 1:  # one step: nothing to bound
            assert bound == pytest.approx(exact, abs=1e-12)


def test_stochastic_policies_do_no_worse() -> None:
    for seed in range(100):
        rng = generator("stochastic", seed)
        estimate, truth = random_mdp(rng, (3, 2, 2)), random_mdp(rng, (3, 2, 2))
        worst = uniform_error(estimate, truth)
        for _ in range(20):
            policy = rng.dirichlet(np.ones(2), size=(3, 2))
            gap = _value(estimate, estimate.leader_rewards, policy) - _value(
                truth, truth.leader_rewards, policy
            )
            assert abs(gap) <= worst + 1e-12


def test_models_of_different_shape_are_refused() -> None:
    rng = generator("shapes")
    with pytest.raises(InputError, match=r"estimate\.shape"):
        uniform_error(random_mdp(rng, (2, 2, 2)), random_mdp(rng, (2, 3, 2)))
