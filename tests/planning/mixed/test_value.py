"""Pointwise values of mixed strategies: exact on dyadic tables, tie sets against rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models import PayoffTable
from stackel_bench.planning.mixed.optimistic import margin_commitment
from stackel_bench.planning.mixed.value import dyadic_strategy, grid_margin, mixed_leader_value
from stackel_bench.streams import generator
from stackel_bench.tolerances import TIE, Ties
from tests.simplex_references import FAMILIES, as_floats, pointwise_value, random_game

CONITZER = PayoffTable(np.array([[2, 4], [1, 3]]) / 4, np.array([[1.0, 0.0], [0.0, 1.0]]))


@pytest.mark.parametrize("family", FAMILIES)
def test_equals_rational_arithmetic(family: str) -> None:
    """With no tolerance the response set is the exact one for these floats, whatever the strategy."""
    rng = generator("pointwise", family)
    for _ in range(90):
        actions, responses = rng.integers(1, 6, 2)
        leader, follower = map(as_floats, random_game(rng, family, actions, responses))
        strategy = rng.dirichlet(np.ones(actions))
        if rng.random() < 0.7:
            strategy = dyadic_strategy(strategy, int(rng.integers(1, 21)))
        slack = float(rng.choice([0.0, 0.1, 0.125, 0.5]))
        table = PayoffTable(leader, follower)
        for rule, choose in (("pessimistic", min), ("optimistic", max)):
            found = mixed_leader_value(table, strategy, slack, rule, ties=Ties(0.0))
            wanted = pointwise_value(leader, follower, strategy, slack, choose)
            assert found.value == pytest.approx(wanted, abs=1e-14)
            assert found.value == pytest.approx(strategy @ leader[:, found.response], abs=1e-15)


def test_the_tie_of_the_conitzer_sandholm_game() -> None:
    assert mixed_leader_value(CONITZER, [0.5, 0.5], 0.0, "pessimistic").value == 0.375
    assert mixed_leader_value(CONITZER, [0.5, 0.5], 0.0, "optimistic").value == 0.875
    step = 2.0**-20
    just_before = mixed_leader_value(CONITZER, [0.5 - step, 0.5 + step])
    assert just_before.response == 1
    assert just_before.value == 0.875 - step / 4


def test_decimals_tie_as_on_paper() -> None:
    table = PayoffTable([[1.0, 0.0]], [[0.3, 0.1 + 0.2]])  # equal on paper, not as floats
    tied = mixed_leader_value(table, [1.0], 0.0, "optimistic")
    assert tied.value == 1.0
    exact = mixed_leader_value(table, [1.0], 0.0, "optimistic", ties=Ties(0.0))
    assert exact.value == 0.0


@pytest.mark.parametrize("unit", [2.0**-60, 1.0, 2.0**30])
def test_a_tie_ends_at_its_tolerance_in_any_unit(unit: float) -> None:
    """The largest payoff is just below the unit, so payoffs are tied up to TIE * unit, edge included."""
    top = unit * (1 - 2.0**-10)
    for behind, tied in ((TIE, True), (TIE * (1 - 2.0**-10), True), (TIE * (1 + 2.0**-10), False)):
        table = PayoffTable([[1.0, 0.0]], [[top, top - behind * unit]])
        assert mixed_leader_value(table, [1.0]).value == (0.0 if tied else 1.0)


def test_lowest_index_among_equal_leader_payoffs() -> None:
    table = PayoffTable([[0.5, 0.5, 0.5]], [[0.0, 1.0, 1.0]])
    assert mixed_leader_value(table, [1.0], 0.0, "pessimistic").response == 1
    assert mixed_leader_value(table, [1.0], 0.0, "optimistic").response == 1


def test_dyadic_strategies_sum_to_one_and_stay_close() -> None:
    rng = generator("dyadic")
    for _ in range(300):
        bits = int(rng.integers(1, 41))
        strategy = rng.dirichlet(np.full(int(rng.integers(1, 30)), 0.3))
        rounded = dyadic_strategy(strategy, bits)
        exact = [Fraction(float(x)) for x in rounded]
        assert sum(exact) == 1
        assert all((x * 2**bits).denominator == 1 and x >= 0 for x in exact)
        assert np.abs(rounded - strategy).max() < 2.0**-bits + 1e-15
    assert (dyadic_strategy([0.25, 0.75]) == [0.25, 0.75]).all()


def change_of_difference(strategy: np.ndarray, follower: np.ndarray, bits: int) -> Fraction:
    """By how much rounding changes the follower's payoff difference between the first two responses."""
    moves = zip(dyadic_strategy(strategy, bits), strategy, follower, strict=True)
    fractions = (
        (Fraction(float(new)) - Fraction(float(old)), Fraction(float(row[0])) - Fraction(float(row[1])))
        for new, old, row in moves
    )
    return abs(sum((move * difference for move, difference in fractions), Fraction(0)))


@pytest.mark.parametrize("actions", [1, 2, 3, 8, 9, 64, 1000])
def test_rounding_moves_no_difference_of_payoffs_beyond_the_margin(actions: int) -> None:
    rng = generator("grid margin", actions)
    for bits in (12, 20):
        for scale in (1.0, 7.0, 1e-3):
            follower = scale * rng.choice([0.0, 1.0, 0.3], (actions, 2))
            strategy = rng.dirichlet(np.ones(actions))
            margin = grid_margin(PayoffTable(follower, follower), bits)
            assert change_of_difference(strategy, follower, bits) <= margin


@pytest.mark.parametrize("actions", [2, 8, 64, 1000])
def test_the_margin_is_nearly_reached_where_all_remainders_are_one_half(actions: int) -> None:
    """The first half of the weights is rounded up, the other one down: A/2 steps, (A + 1)/2 are allowed.

    A margin of 4 steps, whatever A is, would be 125 times too small at A = 1000.
    """
    steps = np.full(actions, 2**20 // actions - 0.5)
    steps[-1] += 2**20 - steps.sum()
    strategy = steps / 2**20
    rounded_up = dyadic_strategy(strategy) > strategy
    follower = np.stack([rounded_up, ~rounded_up], axis=1).astype(float)
    margin = grid_margin(PayoffTable(follower, follower))
    change = change_of_difference(strategy, follower, 20)
    assert change == Fraction(actions, 2**21)
    assert change <= margin <= 1.5 * change


@pytest.mark.parametrize("size", [10, 60])
def test_a_margin_survives_rounding(size: int) -> None:
    """What the margin learner relies on: the response still wins by what was asked, in exact arithmetic."""
    rng = generator("margin survives", size)
    for _ in range(10):
        table = PayoffTable(*rng.random((2, size, size)))
        found = margin_commitment(table, 0.01 + grid_margin(table))
        assert found is not None
        rounded = [Fraction(float(weight)) for weight in dyadic_strategy(found.strategy)]
        payoffs = [
            sum((w * Fraction(float(x)) for w, x in zip(rounded, column, strict=True)), Fraction(0))
            for column in table.follower_means.T
        ]
        best = payoffs.pop(found.response)
        assert best - max(payoffs) >= Fraction(1, 100) - Fraction(1, 10**11)


@pytest.mark.parametrize(
    ("strategy", "field"),
    [
        ([0.5, 0.6], "sum of strategy"),
        ([1.5, -0.5], r"strategy\[1\]"),
        ([float("nan"), 1.0], r"strategy\[0\]"),
        ([1.0], "strategy.shape"),
        ([[0.5, 0.5]], "strategy.shape"),
    ],
)
def test_bad_strategies_are_named(strategy: object, field: str) -> None:
    with pytest.raises(InputError, match=field):
        mixed_leader_value(CONITZER, strategy)


def test_bad_numbers_are_named() -> None:
    with pytest.raises(InputError, match="slack"):
        mixed_leader_value(CONITZER, [0.5, 0.5], -0.1)
    with pytest.raises(InputError, match="tie_breaking"):
        mixed_leader_value(CONITZER, [0.5, 0.5], 0.1, "friendly")
    with pytest.raises(InputError, match="bits"):
        dyadic_strategy([1.0], 0)
