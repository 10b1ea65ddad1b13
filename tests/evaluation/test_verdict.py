"""Verdicts: all lines of the theorem on exact values, judged on certified intervals where there are some."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest

import stackel_bench as sb
from stackel_bench.errors import InputError
from stackel_bench.evaluation.verdict import judge
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.learners.decision import Decision, Decisions
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.bounds import Bounds
from tests import brute_force


def decision(tie: TieBreaking, row: int, response: int) -> Decision:
    return Decision(tie, row, None, response, 0.0, 1)


@pytest.mark.parametrize("seed", range(60))
def test_verdicts_of_all_decisions_equal_fractions(seed: int) -> None:
    """Every commitment and response of a tied dyadic table, not only sensible ones."""
    rng = np.random.default_rng(seed)
    leader, follower = rng.integers(0, 9, (2, 3, 4)) / 8
    epsilon = float(rng.integers(1, 5) / 8)
    game = BanditGame(PayoffTable(leader, follower))
    for tie in TieBreaking:
        optimistic = tie is TieBreaking.OPTIMISTIC
        optimum = brute_force.stackelberg_value(leader, follower, 0, optimistic)
        gap_of = brute_force.optimistic_gap if optimistic else brute_force.pessimistic_gap
        gap = gap_of(leader, follower, epsilon)
        for row in range(3):
            exact = brute_force.leader_values(leader, follower, 0, optimistic)[row]
            half = brute_force.leader_values(leader, follower, epsilon / 2, optimistic)[row]
            for response in range(4):
                verdict = sb.evaluate(game, decision(tie, row, response), epsilon)
                loss = max(brute_force.exact(follower)[row]) - brute_force.exact(follower)[row][response]
                assert Fraction(verdict.value) == exact
                assert Fraction(verdict.value_suboptimality) == optimum - exact
                assert Fraction(verdict.follower_suboptimality) == loss
                assert Fraction(verdict.gap) == gap
                assert Fraction(verdict.guarantee) == gap + Fraction(epsilon)
                wanted = optimum - gap - Fraction(epsilon)
                assert verdict.loss_guarantee_held == (exact >= wanted)
                assert verdict.robustness_guarantee_held == (None if optimistic else half >= wanted)
                assert verdict.follower_guarantee_held == (loss <= Fraction(epsilon))
                lines = [
                    exact >= wanted,
                    loss <= Fraction(epsilon),
                    *([] if optimistic else [half >= wanted]),
                ]
                assert verdict.guarantee_held == all(lines)


@dataclass
class IntervalOracle:
    """An oracle that knows the truth only up to an interval."""

    optimum: Bounds
    slack_optimum: Bounds
    gap_bounds: Bounds
    value: float
    calls: list[float] = field(default_factory=list)
    largest_follower_loss: float = 1.0

    def stackelberg_value(self, slack: float, tie_breaking: TieBreaking) -> Bounds:
        return self.optimum if slack == 0 else self.slack_optimum

    def gap(self, epsilon: float, tie_breaking: TieBreaking) -> Bounds:
        return self.gap_bounds

    def values_of(self, decisions: Decisions, slack: float, tie_breaking: TieBreaking) -> np.ndarray:
        self.calls.append(slack)
        return np.full(decisions.shape, self.value)

    def follower_losses(self, decisions: Decisions) -> np.ndarray:
        return np.zeros(decisions.shape)

    def lowest_value(self, slack: float, tie_breaking: TieBreaking) -> float:
        return 0.0


def test_a_guarantee_counts_only_if_it_holds_for_the_whole_interval() -> None:
    oracle = IntervalOracle(Bounds.exactly(0.9), Bounds(0.7, 0.8), Bounds(0.1, 0.2), 0.65)
    pessimistic = judge(oracle, decision(TieBreaking.PESSIMISTIC, 0, 0), 0.1)
    assert not pessimistic.robustness_guarantee_held  # 0.65 < 0.8 - 0.1, though 0.65 > 0.7 - 0.1
    assert pessimistic.gap == 0.2
    assert 0.05 in oracle.calls  # phi at eps/2 is what the theorem's line is about
    optimistic = judge(oracle, decision(TieBreaking.OPTIMISTIC, 0, 0), 0.1)
    assert not optimistic.loss_guarantee_held  # 0.65 < 0.9 - 0.1 - 0.1
    oracle.value = 0.7
    assert judge(oracle, decision(TieBreaking.OPTIMISTIC, 0, 0), 0.1).loss_guarantee_held
    assert judge(oracle, decision(TieBreaking.PESSIMISTIC, 0, 0), 0.1).robustness_guarantee_held


def test_a_value_above_the_optimum_is_an_error_not_a_zero() -> None:
    oracle = IntervalOracle(Bounds.exactly(0.5), Bounds.exactly(0.5), Bounds.exactly(0.0), 0.5 + 1e-6)
    with pytest.raises(ArithmeticError, match="the oracle is wrong"):
        judge(oracle, decision(TieBreaking.PESSIMISTIC, 0, 0), 0.1)
    oracle.value = 0.5 + 1e-12
    assert judge(oracle, decision(TieBreaking.PESSIMISTIC, 0, 0), 0.1).value_suboptimality < 0


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "0.1"])
def test_accuracies_that_cannot_be_meant(epsilon: float) -> None:
    game = sb.load_game("bandit/trap")
    with pytest.raises(InputError, match=r"^epsilon: found"):
        sb.evaluate(game, decision(TieBreaking.PESSIMISTIC, 0, 0), epsilon)
