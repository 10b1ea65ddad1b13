"""Reach and sampling probabilities against enumeration, and the 2SBH guarantee at stated budgets."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from stackel_bench.families.bandit_rl.diagnosis import (
    coverage,
    maximal_reach,
    mixture_occupancy,
    uniform_error,
)
from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.exploration.registry import make_explorer
from stackel_bench.models import FollowerMDP
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.streams import generator
from tests.simulation.per_episode import lock_mdp, one_hot, random_mdp, trajectory_law

GOAL = Goal(epsilon=0.1, delta=0.05, num_leader_actions=1)


def _occupancy(mdp: FollowerMDP, policy: np.ndarray) -> np.ndarray:
    return sum(probability * counts.sum(axis=3) for counts, probability in trajectory_law(mdp, policy))


def test_maximal_reach_by_enumeration() -> None:
    for seed in range(20):
        mdp = random_mdp(generator("reach", seed), (3, 2, 2), start=seed % 2)
        best = np.zeros((3, 2))
        for choice in product(range(2), repeat=6):
            policy = one_hot(np.reshape(choice, (3, 2)), 2)
            best = np.maximum(best, _occupancy(mdp, policy).sum(axis=2))
        np.testing.assert_allclose(maximal_reach(mdp), best, atol=1e-12)


def test_mixture_occupancy_by_enumeration() -> None:
    for seed in range(20):
        rng = generator("mixture", seed)
        mdp = random_mdp(rng, (3, 2, 2), start=seed % 2)
        played = [
            (rng.integers(2, size=(3, 2)), int(rng.integers(4)), int(rng.integers(1, 50))) for _ in range(6)
        ]
        mixture = PolicyMixture.collect(mdp.shape, played)
        expected = np.zeros(mdp.shape)
        for actions, length, weight in played:
            policy = one_hot(actions, 2)
            policy[length:] = 0.5
            expected += weight * _occupancy(mdp, policy)
        expected /= sum(weight for *_, weight in played)
        np.testing.assert_allclose(mixture_occupancy(mdp, mixture), expected, atol=1e-12)


def test_the_last_digit_of_a_lock_is_the_worst_and_unreached_triples_are_infinite() -> None:
    mdp = lock_mdp(generator("worst"), 3, 2)
    actions = np.argmax(mdp.transitions[:, :, :, 0], axis=2)
    never = PolicyMixture.collect(mdp.shape, [(1 - actions, 3, 5)])
    explorer = make_explorer("uniform")
    plan = explorer.fixed_plan(mdp.shape, 10)
    (found,) = explorer.explore(EpisodeSimulator(mdp), [plan], GOAL, (0,))
    uniform = coverage(mdp, found, epsilon=0.1)
    assert uniform.ratio == pytest.approx(2.0**3)
    object.__setattr__(found, "mixture", never)
    assert coverage(mdp, found, epsilon=0.1).ratio == np.inf


@pytest.mark.parametrize("replanning", ["batched_doubling", "exact_doubling"])
def test_the_2sbh_guarantee_on_random_and_lock_mdps(replanning: str) -> None:
    """N0 = 1e5 episodes per target, far below the theorem's; 6 random MDPs and 3 locks."""
    explorer = make_explorer("reward_free_explore", replanning=replanning)
    games = [
        random_mdp(generator("random", i), (5, 6, 3), concentration=(0.05, 0.3)[i % 2]) for i in range(6)
    ]
    games += [lock_mdp(generator("lock", i), 6, 4, keep=(1.0, 0.9, 0.5)[i]) for i in range(3)]
    for index, mdp in enumerate(games):
        horizon, states, _ = mdp.shape
        plan = explorer.fixed_plan(mdp.shape, 2 * horizon * states * 10**5)
        (found,) = explorer.explore(EpisodeSimulator(mdp), [plan], GOAL, ("cover", index))
        covered = coverage(mdp, found, epsilon=0.1)
        assert covered.ratio <= covered.bound


def test_the_2sbh_guarantee_at_the_theory_budget() -> None:
    """The theorem's own budget at epsilon 0.1 (10^12 to 10^14 episodes); 5 random MDPs and 2 locks."""
    explorer = make_explorer("reward_free_explore")
    games = [random_mdp(generator("theory", i), (4, 5, 3), concentration=0.2) for i in range(5)]
    games += [lock_mdp(generator("theory", i), 8, 4, keep=(1.0, 0.7)[i]) for i in range(2)]
    for index, mdp in enumerate(games):
        plan = explorer.theory_plan(mdp.shape, GOAL)
        (found,) = explorer.explore(EpisodeSimulator(mdp), [plan], GOAL, ("theory", index))
        covered = coverage(mdp, found, epsilon=0.1)
        assert covered.ratio <= covered.bound
        assert uniform_error(found.model, mdp) <= 0.1 / 8


@pytest.mark.parametrize("horizon", [8, 16])
def test_uniform_play_fails_on_a_lock_where_exploration_succeeds(horizon: int) -> None:
    """Equal budgets of 4e6 episodes, B = 4, 4 locks each; the rewards behind the lock are 0.9 and 0.1.

    Uniform play arrives with probability 4^(1-H): never at H = 16 (false alarm 1.5 % for all locks together),
    and far outside the coverage bound at H = 8 already.
    """
    for seed in range(4):
        lock = lock_mdp(generator("hard", horizon, seed), horizon, 4)
        rewards = np.zeros((2, *lock.shape))
        rewards[0, -1, 0], rewards[1, -1, 0] = 0.9, 0.1
        mdp = FollowerMDP(lock.transitions, rewards[0], rewards[1])
        found, ratios, errors = {}, {}, {}
        for name in ("uniform", "rf_ucrl", "reward_free_explore"):
            explorer = make_explorer(name)
            plan = explorer.fixed_plan(mdp.shape, 4 * 10**6)
            (found[name],) = explorer.explore(EpisodeSimulator(mdp), [plan], GOAL, ("hard", seed))
            ratios[name] = coverage(mdp, found[name], epsilon=0.1).ratio
            errors[name] = np.abs(found[name].model.leader_rewards - mdp.leader_rewards)[-1, 0].max()
        bound = 2 * 2 * 4 * horizon
        assert ratios["uniform"] == pytest.approx(4.0**horizon)
        assert ratios["uniform"] > 100 * bound
        assert ratios["reward_free_explore"] <= bound
        for name in ("rf_ucrl", "reward_free_explore"):
            assert errors[name] < 0.05
            assert found[name].visits[-1, 0].min() > 1000
        if horizon == 16:
            assert found["uniform"].visits[-1, 0].sum() == 0
            assert errors["uniform"] == pytest.approx(0.4)
