"""The optimistic commitment and the margin commitment against HiGHS, OpenSpiel and rational breakpoints."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models import PayoffTable
from stackel_bench.planning.mixed.optimistic import best_mixed_leader_strategy, margin_commitment
from stackel_bench.streams import generator
from tests.simplex_references import (
    FAMILIES,
    TwoActionGame,
    as_floats,
    optimistic_maximum,
    random_game,
    with_mixed_rows,
)

CONITZER = PayoffTable(np.array([[2, 4], [1, 3]]) / 4, np.array([[1.0, 0.0], [0.0, 1.0]]))


def assert_feasible(table: PayoffTable, commitment, slack: float) -> None:
    """The strategy is a distribution, the response is within slack of best there, and pays the value."""
    strategy, b = commitment.strategy, commitment.response
    assert (strategy >= 0).all()
    assert strategy.sum() == pytest.approx(1, abs=1e-14)
    payoffs = strategy @ table.follower_means
    rivals = np.delete(payoffs, b)
    if rivals.size:
        assert payoffs[b] - rivals.max() >= -slack - 1e-11
    assert strategy @ table.leader_means[:, b] == pytest.approx(commitment.value, abs=1e-12)
    assert commitment.value <= commitment.upper_bound <= commitment.value + 1e-10


@pytest.mark.parametrize("family", FAMILIES)
def test_equals_rational_breakpoints_with_two_leader_actions(family: str) -> None:
    rng = generator("optimistic", family)
    for _ in range(60):
        leader, follower = random_game(rng, family, 2, int(rng.integers(1, 7)))
        slack = Fraction(int(rng.integers(0, 4)), 10)
        wanted = float(TwoActionGame(leader, follower).supremum(slack, max))
        leader, follower = with_mixed_rows(rng, leader, follower, int(rng.integers(0, 4)))
        table = PayoffTable(as_floats(leader), as_floats(follower))
        found = best_mixed_leader_strategy(table, float(slack))
        assert found.value == pytest.approx(wanted, abs=1e-9)
        assert_feasible(table, found, float(slack))


@pytest.mark.parametrize("family", FAMILIES)
def test_equals_one_program_per_response_in_highs(family: str) -> None:
    rng = generator("optimistic-highs", family)
    for _ in range(30):
        actions, responses = rng.integers(1, 8, 2)
        leader, follower = map(as_floats, random_game(rng, family, actions, responses))
        slack = float(rng.integers(0, 4)) / 8
        table = PayoffTable(leader, follower)
        found = best_mixed_leader_strategy(table, slack)
        assert found.value == pytest.approx(optimistic_maximum(leader, follower, slack), abs=1e-9)
        assert_feasible(table, found, slack)


@pytest.mark.parametrize("size", [30, 120])
def test_equals_highs_on_large_games(size: int) -> None:
    rng = generator("optimistic-large", size)
    follower = rng.random((size, 12))
    leader = rng.random((size, 12)) - 0.7 * follower  # conflicting interests: many pivots
    for matrices in ((leader, follower), (leader.T.copy(), follower.T.copy())):
        found = best_mixed_leader_strategy(PayoffTable(*matrices), 0.01)
        assert found.value == pytest.approx(optimistic_maximum(*matrices, 0.01), abs=1e-9)


def test_agrees_with_open_spiel() -> None:

    with warnings.catch_warnings():  # the peer's own warnings, here only
        warnings.simplefilter("ignore")
        import pyspiel
        from open_spiel.python.algorithms.stackelberg_lp import solve_stackelberg

        rng = generator("open-spiel")
        for _ in range(200):
            actions, responses = int(rng.integers(1, 6)), int(rng.integers(1, 4))
            leader, follower = rng.random((2, actions, responses))
            game = pyspiel.create_matrix_game(leader.tolist(), follower.tolist())
            _, _, value, _ = solve_stackelberg(game)
            found = best_mixed_leader_strategy(PayoffTable(leader, follower))
            # The peer's default solver is an interior-point method: it stops within about 1e-8.
            assert found.value == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("slack", [0.0, 0.125, 0.5, 0.9])
def test_conitzer_sandholm_game(slack: float) -> None:
    assert best_mixed_leader_strategy(CONITZER, slack).value == pytest.approx(0.875 + slack / 8, abs=1e-12)


def test_the_tolerance_missing_in_print_matters() -> None:
    # Two responses tied everywhere; an estimate that breaks the tie against the leader must not matter.
    noisy = PayoffTable([[1, 0, 0], [0, 0, 0.5]], [[0.5 - 1e-3, 0.5, 0], [0.5 - 1e-3, 0.5, 1]])
    assert best_mixed_leader_strategy(noisy).value == pytest.approx(0.5, abs=1e-12)
    assert best_mixed_leader_strategy(noisy, 0.01).value == pytest.approx(1, abs=0.05)


def test_value_grows_with_slack_until_every_response_is_allowed() -> None:
    rng = generator("optimistic-monotone")
    for _ in range(50):
        table = PayoffTable(*rng.random((2, 4, 6)))
        values = [best_mixed_leader_strategy(table, s).value for s in np.linspace(0, 1, 11)]
        assert (np.diff(values) >= -1e-12).all()
        assert values[-1] == table.leader_means.max()


def test_units_do_not_matter() -> None:
    rng = generator("optimistic-units")
    for scale in (1e-12, 1e-3, 1e9):
        leader, follower = rng.random((2, 5, 7))
        plain = best_mixed_leader_strategy(PayoffTable(leader, follower), 0.1)
        scaled = best_mixed_leader_strategy(PayoffTable(leader / scale, follower * scale), 0.1 * scale)
        assert scaled.value * scale == pytest.approx(plain.value, rel=1e-12)
        assert scaled.response == plain.response


@pytest.mark.parametrize("family", FAMILIES)
def test_margin_commitment_equals_highs(family: str) -> None:
    rng = generator("margin", family)
    infeasible = 0
    for _ in range(84):
        actions, responses = rng.integers(1, 5, 2)
        leader, follower = map(as_floats, random_game(rng, family, actions, responses))
        margin = float(rng.choice([0.0, 0.1, 0.25, 0.5, 1.5]))
        table = PayoffTable(leader, follower)
        found = margin_commitment(table, margin)
        wanted = optimistic_maximum(leader, follower, -margin)
        if found is None:
            infeasible += 1
            assert wanted == -np.inf
            continue
        assert found.value == pytest.approx(wanted, abs=1e-9)
        assert_feasible(table, found, -margin)
    assert infeasible > 0


def test_margin_of_the_conitzer_sandholm_game() -> None:
    found = margin_commitment(CONITZER, 0.25)
    assert found is not None
    assert found.value == pytest.approx(0.875 - 0.25 / 8, abs=1e-12)
    assert margin_commitment(CONITZER, 1.5) is None
    assert margin_commitment(PayoffTable([[0.3]], [[0.7]]), 5.0).value == 0.3


@pytest.mark.parametrize("bad", [-1e-9, float("nan"), float("inf"), "0.1", True])
def test_bad_slack_and_margin_are_named(bad: object) -> None:
    with pytest.raises(InputError, match="slack"):
        best_mixed_leader_strategy(CONITZER, bad)
    with pytest.raises(InputError, match="margin"):
        margin_commitment(CONITZER, bad)
