"""Bandit-RL learners at the budgets of the theorem, and where exploration decides everything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import stackel_bench as sb
from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.game import BanditRLGame
from stackel_bench.families.bandit_rl.learners import BanditRLLearner
from stackel_bench.families.learners import make_learner
from stackel_bench.games.noise import Noise
from stackel_bench.learners.budget import FixedBudget, ScaledBudget, TheoryBudget
from stackel_bench.models import FollowerMDP, TieBreaking
from tests.replicates import decisions, failure_rate, plausible, verdicts

SMALL: dict[str, dict[str, Any]] = {
    "random": {"num_leader_actions": 3, "num_states": 2, "num_follower_actions": 2, "horizon": 2},
    "taxation": {"num_leader_actions": 3, "num_states": 2, "num_follower_actions": 3, "horizon": 2},
    "lock": {"num_leader_actions": 2, "horizon": 3},
}
EPSILON, DELTA = 0.1, 0.05


@pytest.mark.parametrize("name", SMALL)
def test_failure_probability_at_theory_budgets(name: str) -> None:
    """200 replicates at 10^8 to 10^9 episodes. At most delta is promised; the union bounds are generous and
    none fails, so the exact upper limit of the failure probability (0.018) is below delta as well.

    The same learner with a few dozen episodes does fail: the claims are not empty.
    """
    game = sb.load_game(f"bandit_rl/{name}", **SMALL[name])
    judged = verdicts(game, "paper", TheoryBudget(EPSILON, DELTA), 200)
    starved = verdicts(game, "paper", FixedBudget(EPSILON, DELTA, samples=40), 200)
    for tie in TieBreaking:
        assert failure_rate(judged[tie]) == 0.0
        assert failure_rate(starved[tie]) > DELTA


@pytest.mark.parametrize("name", SMALL)
def test_certified_explorer_at_theory_budgets(name: str) -> None:
    """rf_ucrl stops by its own certificate, within its theorem's number of episodes."""
    game = sb.load_game(f"bandit_rl/{name}", **SMALL[name])
    budget = TheoryBudget(EPSILON, DELTA)
    decided = decisions(game, "paper", budget, 8, explorer="rf_ucrl")
    limit = make_learner("bandit_rl", "paper", explorer="rf_ucrl").schedule(game.sampler, budget)
    for tie in TieBreaking:
        for (decision,) in decided[tie]:
            assert sb.evaluate(game, decision, EPSILON).guarantee_held
            assert decision.diagnostics["certificate"] <= EPSILON / 8
            assert decision.samples <= limit.samples[0]


def test_uniform_play_cannot_open_a_lock_that_explorers_open() -> None:
    """H = 8, six buttons: a code is found by chance once in 6^8 = 1.7 million episodes. 600,000 episodes.

    Uniform play finds the right lock's code with probability 1 - exp(-0.12), so it must fail in most of 40
    runs (alarm 1e-6); reward_free_explore and rf_ucrl fail in none of 3.
    """
    game = sb.load_game("bandit_rl/lock", horizon=8, num_follower_actions=6)
    budget = FixedBudget(epsilon=0.25, samples=600_000)
    for tie, judged in verdicts(game, "paper", budget, 40, explorer="uniform").items():
        failed = sum(not verdict.guarantee_held for verdict in judged)
        assert plausible(failed, 40, 0.75, 1.0), tie
    for explorer in ("reward_free_explore", "rf_ucrl"):
        for judged in verdicts(game, "paper", budget, 3, explorer=explorer).values():
            assert failure_rate(judged) == 0.0


def deterministic_game(seed: int) -> BanditRLGame:
    """Deterministic moves, dyadic rewards on few values: exact ties are common, estimates are exact."""
    rng = np.random.default_rng(seed)
    horizon, states, actions = 3, 3, 2
    mdps = []
    for _ in range(4):
        transitions = np.eye(states)[rng.integers(states, size=(horizon, states, actions))]
        leader, follower = rng.integers(0, 3, (2, horizon, states, actions)) / 2
        mdps.append(FollowerMDP(transitions, leader, follower))
    return BanditRLGame(tuple(mdps), Noise("deterministic"))


def values_by_enumeration(mdp: FollowerMDP) -> tuple[float, float]:
    """phi_0 and psi_0 by walking all action sequences of a deterministic MDP."""
    paths = [(0.0, 0.0, mdp.initial_state)]
    for step in range(mdp.shape[0]):
        paths = [
            (
                leader + mdp.leader_rewards[step, state, action],
                follower + mdp.follower_rewards[step, state, action],
                int(mdp.transitions[step, state, action].argmax()),
            )
            for leader, follower, state in paths
            for action in range(mdp.shape[2])
        ]
    best = max(follower for _, follower, _ in paths)
    values = [leader for leader, follower, _ in paths if follower == best]
    return min(values), max(values)


@pytest.mark.parametrize("seed", range(20))
def test_zero_noise_gives_the_optimum(seed: int) -> None:
    game = deterministic_game(seed)
    pessimistic, optimistic = np.array([values_by_enumeration(mdp) for mdp in game.mdps]).T
    budget = FixedBudget(epsilon=0.125, samples=4 * 18 * 100)
    decided = decisions(game, "plug_in", budget, 1, explorer="generative")
    for tie, values in zip(TieBreaking, (pessimistic, optimistic), strict=True):
        assert sb.leader_values(game, tie_breaking=tie) == pytest.approx(values, abs=1e-12)
        ((decision,),) = decided[tie]
        assert decision.leader_action == int(values.argmax())
        assert decision.estimated_value == pytest.approx(values.max(), abs=1e-12)
        verdict = sb.evaluate(game, decision, 0.125)
        assert verdict.value_suboptimality == pytest.approx(0, abs=1e-12)
        assert verdict.follower_suboptimality == pytest.approx(0, abs=1e-9)


def test_a_theory_budget_beyond_exact_counts_says_what_to_change() -> None:
    game = sb.load_game("bandit_rl/random")
    for explorer in ("reward_free_explore", "rf_ucrl", "uniform"):
        with pytest.raises(InputError, match=r"^epsilon: found 1e-06, allowed: a larger value .*2\*\*53"):
            make_learner("bandit_rl", "paper", explorer=explorer).schedule(
                game.sampler, TheoryBudget(epsilon=1e-6)
            )


def test_a_fixed_budget_runs_where_theory_does_not_and_knows_the_distance() -> None:
    game = sb.load_game("bandit_rl/random")
    learner = make_learner("bandit_rl", "paper")
    schedule = learner.schedule(game.sampler, FixedBudget(epsilon=1e-6, samples=4000))
    assert schedule.samples[-1] <= 4000
    assert schedule.theory_samples > 4 * 2**53


def test_a_scaled_budget_runs_where_theory_does_not() -> None:
    game = sb.load_game("bandit_rl/random")
    learner = make_learner("bandit_rl", "paper")
    schedule = learner.schedule(game.sampler, ScaledBudget(epsilon=1e-6, scale=1e-15))
    assert schedule.samples[-1] < 2**53 < schedule.theory_samples


def test_too_few_episodes_are_refused() -> None:
    game = sb.load_game("bandit_rl/random")
    with pytest.raises(InputError, match=r"^budget\.samples: found 3, .*>= 4 \(one episode for each"):
        make_learner("bandit_rl", "paper").schedule(game.sampler, FixedBudget(samples=3))


def test_plug_in_takes_the_estimate_at_its_word() -> None:
    """Slack 0 or as told, where the paper's learner allows 3 eps/4, on the same exploration."""
    game = deterministic_game(0)
    assert isinstance(make_learner("bandit_rl", "paper"), BanditRLLearner)
    budget = FixedBudget(epsilon=0.5, samples=4 * 18 * 100)
    others = ({}, 0.0), ({"tolerance": 1.25}, 0.625)
    for algorithm, options, slack in (*(("plug_in", *other) for other in others), ("paper", {}, 0.375)):
        decided = decisions(game, algorithm, budget, 1, explorer="generative", **options)
        for tie in TieBreaking:
            ((decision,),) = decided[tie]
            expected = sb.stackelberg_value(game, slack=slack, tie_breaking=tie)
            assert decision.estimated_value == pytest.approx(expected, abs=1e-9)
    with pytest.raises(InputError, match=r"^algorithm\.tolerance: found -1"):
        make_learner("bandit_rl", "plug_in", tolerance=-1)
