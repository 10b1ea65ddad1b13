"""Vacuous lines: against brute force over all outputs that there are, or over a fine grid of them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from stackel_bench.evaluation.verdict import Judgement, judge_all
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.bandit_rl.game import BanditRLGame
from stackel_bench.families.linear.game import LinearBanditGame
from stackel_bench.families.oracles import oracle_of
from stackel_bench.families.simultaneous.instances import SimultaneousGame
from stackel_bench.games.game import Game
from stackel_bench.learners.decision import Decision, Decisions
from stackel_bench.learners.guarantee import NOT_ROBUST, PAPER, Guarantee, Line
from stackel_bench.models import FollowerMDP, PayoffTable, TieBreaking
from stackel_bench.models.feature_source import feature_source
from stackel_bench.models.linear_model import LinearModel
from stackel_bench.tolerances import VALUE

STATES, ACTIONS, HORIZON = 2, 2, 2


def judged(game: Game, outputs: list[Decision], epsilon: float) -> Judgement:
    """All outputs judged at once."""
    return judge_all(oracle_of(game), Decisions.of([[output] for output in outputs]), epsilon)


def pairs(rows: int, responses: int, tie: TieBreaking, guarantee: Guarantee = PAPER) -> list[Decision]:
    every = itertools.product(range(rows), range(responses))
    return [Decision(tie, row, None, response, 0.0, 1, guarantee=guarantee) for row, response in every]


def require_agreement(found: Judgement) -> tuple[bool, ...]:
    """A line is vacuous exactly if every output holds it."""
    for line, held in found.held.items():
        assert found.vacuous_lines[line] == held.all(), line
    return tuple(found.vacuous_lines.values())


def small_differences(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Payoffs on a grid of 1/16 in a band that is as often narrow as wide, so that both answers occur."""
    return rng.integers(0, rng.choice([3, 6, 17]), shape) / 16


def test_bandit_games_and_linear_games() -> None:
    rng = np.random.default_rng(1)
    for tie in TieBreaking:
        seen = set()
        for _ in range(150):
            leader, follower = small_differences(rng, (3, 3)), small_differences(rng, (3, 3))
            epsilon = float(rng.choice([0.125, 0.25]))
            table = PayoffTable(leader, follower)
            answer = require_agreement(judged(BanditGame(table), pairs(3, 3, tie), epsilon))
            features = np.eye(9).reshape(3, 3, 9)
            model = LinearModel(feature_source(features), leader.ravel(), follower.ravel())
            linear = judged(LinearBanditGame(model), pairs(3, 3, tie), epsilon)
            assert require_agreement(linear) == answer
            seen.add(answer)
        assert len(seen) >= 4  # lines differ from each other: all combinations that can be


def test_bandit_rl_games_by_all_deterministic_policies() -> None:
    """The worst response of a follower is a deterministic policy: 16 of them on two states and two steps."""
    rng = np.random.default_rng(2)
    choices = list(itertools.product(range(ACTIONS), repeat=STATES * HORIZON))
    policies = [np.eye(ACTIONS)[np.array(choice).reshape(HORIZON, STATES)] for choice in choices]
    for tie in TieBreaking:
        seen = set()
        for _ in range(40):
            shape = (HORIZON, STATES, ACTIONS)
            mdps = tuple(
                FollowerMDP(
                    rng.dirichlet(np.ones(STATES), shape),
                    small_differences(rng, shape) / 2,
                    small_differences(rng, shape) / 2,
                )
                for _ in range(2)
            )
            outputs = [
                Decision(tie, row, None, policy, 0.0, 1, guarantee=PAPER)
                for row in range(2)
                for policy in policies
            ]
            seen.add(require_agreement(judged(BanditRLGame(mdps), outputs, 0.25)))
        assert len(seen) >= 2


@pytest.mark.parametrize("tie", TieBreaking)
def test_simultaneous_games_by_a_grid(tie: TieBreaking) -> None:
    """A vacuous line holds on the whole grid; one that is not is broken on it, but for a sliver."""
    rng = np.random.default_rng(3)
    grid = [np.array([step, 32 - step]) / 32 for step in range(33)]
    agreed = 0
    seen = set()
    for _ in range(40):
        game = SimultaneousGame(PayoffTable(small_differences(rng, (2, 3)), small_differences(rng, (2, 3))))
        outputs = [
            Decision(tie, None, strategy, response, 0.0, 1, guarantee=PAPER)
            for strategy in grid
            for response in range(3)
        ]
        found = judged(game, outputs, 0.25)
        oracle = oracle_of(game)
        lowest = oracle.lowest_value(0.0, tie)
        assert found.value.min() >= lowest - VALUE
        assert found.follower_suboptimality.max() == pytest.approx(oracle.largest_follower_loss)
        for line, held in found.held.items():
            assert held.all() or not found.vacuous_lines[line]
            agreed += held.all() == found.vacuous_lines[line]
        seen.add(tuple(found.vacuous_lines.values()))
        assert found.value.min() <= lowest + 0.1  # the infimum is not far below what the grid attains
    lines = 3 if tie is TieBreaking.PESSIMISTIC else 2
    assert agreed >= 0.95 * 40 * lines
    assert len(seen) >= 3


@pytest.mark.parametrize("tie", TieBreaking)
def test_the_lowest_value_counts_ties_of_decimals(tie: TieBreaking) -> None:
    """0.1 + 0.2 ties with 0.3 for the judge, so no value may lie below the infimum because of it."""
    rng = np.random.default_rng(4)
    grid = np.concatenate([np.eye(3), rng.dirichlet(np.ones(3) / 2, 200)])
    for _ in range(150):
        follower = rng.choice([0.3, 0.1 + 0.2, 0.7, 0.1 * 7], (3, 3))
        oracle = oracle_of(SimultaneousGame(PayoffTable(rng.integers(0, 11, (3, 3)) / 10, follower)))
        outputs = Decisions.of([[Decision(tie, None, strategy, 0, 0.0, 1)] for strategy in grid])
        for slack in (0.0, 0.1):
            assert oracle.values_of(outputs, slack, tie).min() >= oracle.lowest_value(slack, tie) - VALUE


def test_a_cell_is_vacuous_by_the_lines_that_its_learner_promises() -> None:
    """Row 0 can be broken by a follower who errs by eps/2 only, so nothing can fail without that line."""
    table = PayoffTable(np.array([[0.75, 0.0], [0.75, 0.75]]), np.array([[1.0, 0.9375], [1.0, 0.0]]))
    tie = TieBreaking.PESSIMISTIC
    assert not judged(BanditGame(table), pairs(2, 2, tie, PAPER), 0.25).vacuous
    assert judged(BanditGame(table), pairs(2, 2, tie, NOT_ROBUST), 0.25).vacuous
    follower_only = Guarantee((Line.FOLLOWER,), "always")
    assert not judged(BanditGame(table), pairs(2, 2, tie, follower_only), 0.25).vacuous
