"""Decimal tables tie as on paper: optimum and value of a decision agree with rational arithmetic.

Payoffs have one to three decimals and the float noise that sums of decimals have, 0.1 + 0.2 for 0.3. The
reference reads the decimals as Fractions.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.evaluation.verdict import judge
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.oracles import oracle_of
from stackel_bench.families.simultaneous.instances import SimultaneousGame
from stackel_bench.families.simultaneous.oracle import SimplexOracle
from stackel_bench.games.noise import Noise
from stackel_bench.learners.decision import Decision, Decisions
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.bounds import Bounds
from stackel_bench.planning.mixed.value import dyadic_strategy, mixed_leader_values
from stackel_bench.streams import generator
from tests import brute_force
from tests.simplex_references import TwoActionGame

NOISE = Noise(kind="gaussian", scale=0.5)


class Case(NamedTuple):
    leader: list[list[Fraction]]
    follower: list[list[Fraction]]
    table: PayoffTable
    epsilon: Fraction
    rng: np.random.Generator


def cases(key: str, count: int):
    """Tables [A,B] of decimals; few different payoffs per table, so that ties abound."""
    for number in range(count):
        rng = generator("decimal ties", key, number)
        digits = 10 ** int(rng.integers(1, 4))
        shape = (int(rng.integers(1, 4)), int(rng.integers(1, 5)))
        used = rng.integers(0, digits + 1, int(rng.integers(2, 6)))
        leader, follower = (
            [[Fraction(int(k), digits) for k in row] for row in rng.choice(used, shape)] for _ in range(2)
        )
        table = PayoffTable(noisy(leader, digits, rng), noisy(follower, digits, rng))
        differences = np.abs(used[:, None] - used).max()
        epsilon = Fraction(int(rng.choice([rng.integers(1, digits + 1), max(1, differences)])), digits)
        yield Case(leader, follower, table, epsilon, rng)


def noisy(matrix: list[list[Fraction]], digits: int, rng: np.random.Generator) -> np.ndarray:
    """Each decimal as a float, or as the float sum of two decimals that add up to it."""

    def one(value: Fraction) -> float:
        if rng.random() < 0.5:
            return float(value)
        part = Fraction(int(rng.integers(-digits, digits + 1)), digits)
        return float(part) + float(value - part)

    return np.array([[one(value) for value in row] for row in matrix])


def exact_value(case: Case, strategy: np.ndarray, slack: Fraction, tie: TieBreaking) -> Fraction:
    """phi_slack or psi_slack of a strategy on the decimals."""
    weights = [Fraction(float(weight)) for weight in strategy]

    def mixed(matrix: list[list[Fraction]]) -> list[Fraction]:
        return [
            sum((w * x for w, x in zip(weights, column, strict=True)), Fraction(0))
            for column in zip(*matrix, strict=True)
        ]

    optimistic = tie is TieBreaking.OPTIMISTIC
    return brute_force.leader_values([mixed(case.leader)], [mixed(case.follower)], slack, optimistic)[0]


def value_of(oracle: Oracle, decision: Decision, slack: float, tie: TieBreaking) -> float:
    return float(oracle.values_of(Decisions.of([[decision]]), slack, tie)[0, 0])


def decision(tie: TieBreaking, row: int | None, strategy: np.ndarray | None) -> Decision:
    return Decision(tie, row, strategy, 0, 0.0, 1)


@pytest.mark.parametrize("block", range(4))
def test_bandit_oracle_reads_decimals_as_on_paper(block: int) -> None:
    for case in cases(f"bandit {block}", 250):
        oracle = oracle_of(BanditGame(case.table, NOISE))
        for tie in TieBreaking:
            for slack in (Fraction(0), case.epsilon):
                optimistic = tie is TieBreaking.OPTIMISTIC
                wanted = brute_force.leader_values(case.leader, case.follower, slack, optimistic)
                found = [
                    value_of(oracle, decision(tie, row, None), float(slack), tie)
                    for row in range(len(wanted))
                ]
                assert found == pytest.approx([float(value) for value in wanted], abs=1e-12)
                assert oracle.stackelberg_value(float(slack), tie) == Bounds.exactly(max(found))
            exact = oracle.leader_values(0.0, tie)
            for row in range(len(exact)):
                assert judge(oracle, decision(tie, row, None), float(case.epsilon)).value == exact[row]


@pytest.mark.parametrize("block", range(5))
def test_simultaneous_oracle_reads_decimals_as_on_paper(block: int) -> None:
    for case in cases(f"simultaneous {block}", 60):
        oracle = SimplexOracle(case.table)
        strategies = some_strategies(case)
        for tie in TieBreaking:
            for slack in (Fraction(0), case.epsilon):
                bounds = oracle.stackelberg_value(float(slack), tie)
                values = [
                    value_of(oracle, decision(tie, None, point), float(slack), tie) for point in strategies
                ]
                wanted = [float(exact_value(case, point, slack, tie)) for point in strategies]
                assert values == pytest.approx(wanted, abs=1e-12)
                assert max(values) <= bounds.high + 1e-9
                assert mixed_leader_values(case.table, strategies, float(slack), tie).tolist() == values
                if slack == 0:
                    epsilon = float(case.epsilon)
                    judged = [judge(oracle, decision(tie, None, point), epsilon) for point in strategies]
                    assert [verdict.value for verdict in judged] == values
                if len(case.leader) == 2:
                    choose = max if tie is TieBreaking.OPTIMISTIC else min
                    supremum = float(TwoActionGame(case.leader, case.follower).supremum(slack, choose))
                    assert bounds.low - 1e-9 <= supremum <= bounds.high + 1e-9
                    assert bounds.high - bounds.low <= 1.001e-6


def some_strategies(case: Case) -> np.ndarray:
    """Pure ones, coarse ones (which hit ties between rows) and fine ones."""
    actions = len(case.leader)
    coarse = case.rng.multinomial(8, np.full(actions, 1 / actions), 5) / 8
    fine = [dyadic_strategy(point) for point in case.rng.dirichlet(np.ones(actions), 3)]
    return np.vstack([np.eye(actions), coarse, fine])


@pytest.mark.parametrize("tie", TieBreaking)
def test_noise_in_a_tie_does_not_end_in_an_error(tie: TieBreaking) -> None:
    """The crash: columns 0.1 + 0.2 and 0.3 were tied for the optimum and not for the value of a decision."""
    table = PayoffTable([[0.5, 0.25]], [[0.1 + 0.2, 0.3]])
    verdict = judge(oracle_of(SimultaneousGame(table, NOISE)), decision(tie, None, np.ones(1)), 0.1)
    assert verdict.value == (0.25 if tie is TieBreaking.PESSIMISTIC else 0.5)
    assert verdict.value_suboptimality == pytest.approx(0, abs=1e-9)
