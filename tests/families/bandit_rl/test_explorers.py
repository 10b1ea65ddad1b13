"""What every explorer promises, for all of them: budgets, valid estimates, keys, ladders, errors."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.diagnosis import coverage, uniform_error
from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Exploration, Goal
from stackel_bench.families.bandit_rl.exploration.registry import EXPLORERS, make_explorer
from stackel_bench.models import FollowerMDP
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.streams import generator
from tests.simulation.per_episode import random_mdp

GOAL = Goal(epsilon=0.4, delta=0.1, num_leader_actions=3)
SHAPES = [(1, 1, 1), (1, 3, 2), (3, 1, 2), (3, 3, 1), (4, 3, 2), (2, 5, 3)]
VARIANTS = [(name, {}) for name in EXPLORERS] + [
    ("reward_free_explore", {"replanning": "exact_doubling"}),
    ("reward_free_explore", {"value_range": "horizon"}),
    ("reward_free_explore", {"constants": "proof"}),
    ("ucbvi", {"bonus_scale": 0.1}),
]


def _explore(name: str, options: dict, mdp: FollowerMDP, episodes: int, *key: int | str, noise="bernoulli"):
    explorer = make_explorer(name, **options)
    plan = explorer.fixed_plan(mdp.shape, episodes)
    (found,) = explorer.explore(EpisodeSimulator(mdp, noise), [plan], GOAL, key)
    return found


def _same(first: Exploration, second: Exploration) -> bool:
    arrays = ("transitions", "leader_rewards", "follower_rewards")
    return (
        all(np.array_equal(getattr(first.model, name), getattr(second.model, name)) for name in arrays)
        and np.array_equal(first.visits, second.visits)
        and first.certificate == second.certificate
        and dict(first.episodes) == dict(second.episodes)
    )


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_budgets_are_spent_and_estimates_are_valid(name: str, options: dict, shape: tuple) -> None:
    for episodes in (1, 2, 3, 10, 1000, 10**6):
        mdp = random_mdp(generator("shape", *shape, episodes), shape, start=shape[1] - 1)
        found = _explore(name, options, mdp, episodes, 1, episodes)
        assert found.total_episodes == episodes
        assert found.model.shape == shape
        assert found.model.initial_state == mdp.initial_state
        gathered = found.episodes.get("gather", episodes)
        assert (found.visits.sum(axis=(1, 2)) <= gathered * shape[0]).all()
        if name != "generative":
            assert (found.visits.sum(axis=(1, 2)) == gathered).all()
        assert found.visits.sum() == gathered * shape[0]
        empty = found.visits == 0
        np.testing.assert_allclose(found.model.transitions[empty], 1 / shape[1])
        assert (found.model.leader_rewards[empty] == 0.5).all()
        assert (found.model.follower_rewards[empty] == 0.5).all()
        assert (found.model.transitions[(mdp.transitions == 0) & ~empty[..., None]] == 0).all()
        assert 0 <= found.certificate <= shape[0]


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_unvisited_reward_is_a_knob_and_deterministic_rewards_are_exact(name: str, options: dict) -> None:
    mdp = random_mdp(generator("noise"), (3, 4, 2), concentration=0.1)
    found = _explore(name, {**options, "unvisited_reward": 0.25}, mdp, 300, 2, noise="deterministic")
    for ours, truth in (
        (found.model.leader_rewards, mdp.leader_rewards),
        (found.model.follower_rewards, mdp.follower_rewards),
    ):
        np.testing.assert_allclose(ours, np.where(found.visits > 0, truth, 0.25), rtol=1e-12)


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_same_key_same_result_in_any_order(name: str, options: dict) -> None:
    mdp = random_mdp(generator("keys"), (3, 3, 2))
    forward = [_explore(name, options, mdp, 5000, "run", i) for i in range(3)]
    backward = [_explore(name, options, mdp, 5000, "run", i) for i in reversed(range(3))][::-1]
    assert all(_same(a, b) for a, b in zip(forward, backward, strict=True))
    assert not _same(forward[0], forward[1])


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_everything_pickles(name: str, options: dict) -> None:
    mdp = random_mdp(generator("pickle"), (2, 3, 2))
    explorer = pickle.loads(pickle.dumps(make_explorer(name, **options)))
    plan = pickle.loads(pickle.dumps(explorer.fixed_plan(mdp.shape, 100)))
    (found,) = explorer.explore(EpisodeSimulator(mdp), [plan], pickle.loads(pickle.dumps(GOAL)), (1,))
    assert _same(pickle.loads(pickle.dumps(found)), found)


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_error_and_certificate_vanish_as_the_budget_grows(name: str, options: dict) -> None:
    """On an MDP where every state is easy to reach; ucbvi stays uncertain off the best response."""
    mdp = random_mdp(generator("easy"), (2, 2, 2), concentration=3.0)
    errors = []
    for episodes in (10**2, 10**6, 10**12):
        found = _explore(name, options, mdp, episodes, 3)
        error = uniform_error(found.model, mdp)
        assert error <= found.certificate
        errors.append(error)
    if name == "ucbvi":
        assert errors[2] > 1e-4
    else:
        assert errors[1] < 0.1
        assert errors[2] < 1e-4


@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_ladders_are_nested_or_rerun(name: str, options: dict) -> None:
    mdp = random_mdp(generator("ladder"), (3, 3, 2))
    explorer = make_explorer(name, **options)
    plans = [explorer.fixed_plan(mdp.shape, n) for n in (1, 20, 20, 3000, 10**7)]
    rungs = explorer.explore(EpisodeSimulator(mdp), plans, GOAL, ("ladder",))
    assert [rung.total_episodes for rung in rungs] == [1, 20, 20, 3000, 10**7]
    if name != "reward_free_explore":
        visits = np.array([rung.visits for rung in rungs])
        assert (np.diff(visits, axis=0) >= 0).all()
        assert _same(rungs[1], rungs[2])
        sums = np.array([np.rint(rung.model.leader_rewards * rung.visits) for rung in rungs])
        assert (np.diff(sums * (visits > 0), axis=0) >= 0).all()
    (alone,) = explorer.explore(EpisodeSimulator(mdp), plans[:1], GOAL, ("ladder",))
    if name != "ucbvi":  # its bonus knows the run's total
        assert _same(alone, rungs[0])
    for bad in (plans[::-1], []):
        with pytest.raises(InputError, match="ladder of episodes"):
            explorer.explore(EpisodeSimulator(mdp), bad, GOAL, ("ladder",))


@pytest.mark.parametrize("name", EXPLORERS)
def test_theory_plans_run(name: str) -> None:
    explorer = make_explorer(name)
    mdp = random_mdp(generator("theory"), (2, 2, 2))
    plan = explorer.theory_plan(mdp.shape, GOAL)
    (found,) = explorer.explore(EpisodeSimulator(mdp), [plan], GOAL, ("theory",))
    assert plan.stop_when_certified == (name == "rf_ucrl")
    assert (found.total_episodes < plan.total) == plan.stop_when_certified
    assert explorer.theory_plan(mdp.shape, replace(GOAL, epsilon=0.2)).total > plan.total
    beyond = explorer.theory_plan((10, 10, 10), replace(GOAL, epsilon=1e-12))
    assert beyond.total > 2**53  # a plan may say so; running it is the learner's decision
    assert beyond.scaled(1e-60).total < 2**53


@pytest.mark.parametrize(
    ("field", "bad"),
    [("epsilon", 0.0), ("epsilon", np.nan), ("delta", 0), ("delta", 1.0), ("num_leader_actions", 0)],
)
def test_goals_are_checked_once(field: str, bad: float) -> None:
    with pytest.raises(InputError, match=f"^{field}: found"):
        replace(GOAL, **{field: bad})


def test_plans_scale_every_phase() -> None:
    plan = EpisodePlan({"explore": 1000, "gather": 3})
    assert dict(plan.scaled(0.1).phases) == {"explore": 100, "gather": 1}
    assert plan.scaled(2).total == 2006
    assert EpisodePlan({"explore": 2**53 - 1}).scaled(1).total == 2**53 - 1
    with pytest.raises(InputError, match="episodes of phase explore"):
        EpisodePlan({"explore": -1})
    with pytest.raises(InputError, match="scale"):
        plan.scaled(0)


def test_unknown_names_and_options_are_listed() -> None:
    with pytest.raises(
        InputError, match=r"'rfucrl' \(did you mean rf_ucrl.*; choose one of generative, reward"
    ):
        make_explorer("rfucrl")
    with pytest.raises(InputError, match=r"unknown key algorithm\.explorer_options\.bonus"):
        make_explorer("uniform", bonus=1)
    for name, options in (
        ("reward_free_explore", {"replanning": "never"}),
        ("reward_free_explore", {"explore_fraction": 1.0}),
        ("ucbvi", {"bonus_scale": 0.0}),
        ("uniform", {"unvisited_reward": 1.5}),
    ):
        with pytest.raises(InputError, match=next(iter(options))):
            make_explorer(name, **options)


def test_an_estimate_rests_on_gathered_data_only() -> None:
    found = _explore("reward_free_explore", {}, random_mdp(generator("reuse"), (3, 3, 2)), 10_000, 5)
    assert (found.visits.sum(axis=(1, 2)) == 5000).all()


def test_coverage_of_every_explorer_is_computable() -> None:
    mdp = random_mdp(generator("coverage"), (3, 3, 2))
    for name in EXPLORERS:
        found = coverage(mdp, _explore(name, {}, mdp, 10_000, 6), epsilon=0.4)
        assert found.ratio >= 1
        assert found.bound == 2 * 3 * 2 * 3
