"""The certified learner of simultaneous games keeps its promise at boundaries and ties, and stops early."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import stackel_bench as sb
from stackel_bench.evaluation.verdict import judge
from stackel_bench.families.learners import make_learner
from stackel_bench.families.oracles import oracle_of
from stackel_bench.learners.budget import TheoryBudget
from stackel_bench.models import TieBreaking
from stackel_bench.planning.mixed.value import mixed_leader_value
from tests.replicates import broken, stopped

EPSILON = 0.3
CERTIFIED = make_learner("simultaneous", "certified")


def boundary_game(seed: int) -> Any:
    """Payoffs that differ by epsilon/2 and epsilon, a little more or a little less."""
    rng = np.random.default_rng(seed)
    steps = EPSILON * np.array([0.0, 0.49, 0.51, 0.99, 1.01])
    leader, follower = 0.2 + rng.choice(steps, size=(2, 2, 3))
    return sb.load_game("simultaneous/explicit", leader_means=leader, follower_means=follower)


def test_it_fails_at_most_delta_often_where_every_mean_is_at_a_boundary() -> None:
    """delta = 1/2, 60 runs of each tie-breaking on 6 games; false alarms have probability below 1e-6."""
    failed = dict.fromkeys(TieBreaking, 0)
    for seed in range(6):
        game = boundary_game(seed)
        for tie, found in stopped(
            CERTIFIED, game, TheoryBudget(epsilon=EPSILON, delta=0.5), 10, seed
        ).items():
            failed[tie] += broken(game, found, EPSILON)
    assert all(stats.binom.sf(count - 1, 60, 0.5) > 1e-6 for count in failed.values())


@pytest.mark.parametrize("noise", ["bernoulli", "gaussian", "deterministic"])
def test_ties_everywhere_still_stop(noise: str) -> None:
    """Where nothing can be told apart it takes at most 1.3 times the paper's samples."""
    flat = np.full((3, 2), 0.5)
    game = sb.load_game("simultaneous/explicit", leader_means=flat, follower_means=flat, noise=noise)
    most = make_learner("simultaneous", "paper").schedule(game.sampler, TheoryBudget(epsilon=EPSILON))
    for (found,) in stopped(CERTIFIED, game, TheoryBudget(epsilon=EPSILON), 1).values():
        assert found.diagnostics["certified"] == 1
        assert found.samples <= 1.3 * most.theory_samples


@pytest.mark.parametrize(("game", "factor"), [("random", 10), ("inspection", 4)])
def test_it_stops_earlier_than_the_paper(game: str, factor: float) -> None:
    """Random 4 x 4, eps .1: 65 times (pessimistic); inspection 10 times."""
    sizes = {"num_leader_actions": 4, "num_follower_actions": 4} if game == "random" else {}
    named = sb.load_game(f"simultaneous/{game}", **sizes)
    budget = TheoryBudget(epsilon=0.1)
    paper = make_learner("simultaneous", "paper").schedule(named.sampler, budget).theory_samples
    for (found,) in stopped(CERTIFIED, named, budget, 1).values():
        assert found.samples < paper / factor
        assert judge(oracle_of(named), found, 0.1).follower_suboptimality <= 0.1


def test_any_decision_gets_a_certificate() -> None:
    """delta = 1e-6: bounds of a strategy of another learner hold on the true game."""
    game = sb.load_game("simultaneous/inspection")
    oracle = oracle_of(game)
    for tie, own, best in ((TieBreaking.PESSIMISTIC, 0.1, 0.2), (TieBreaking.OPTIMISTIC, 0.2, 0.0)):
        result = sb.learn(game, "paper", epsilon=0.2, tie_breaking=str(tie), seed=1)
        found = sb.certificate(game, result, epsilon=0.2, delta=1e-6, samples=10 * result.samples)
        low, high = (
            mixed_leader_value(game.table, result.leader_strategy, slack, tie).value for slack in (own, best)
        )
        assert found.value_low <= low
        assert found.value_high >= high
        assert found.gap >= oracle.stackelberg_value(best, tie).low - low
        assert found.proven
