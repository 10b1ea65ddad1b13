"""What the paper says of its games, checked by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.games import load_game
from stackel_bench.models import PayoffTable
from tests.families.tables.pure_values import (
    optimistic_values,
    pessimistic_gap,
    pessimistic_values,
    responses,
)


def table_of(name: str, **parameters: object) -> PayoffTable:
    game = load_game(f"bandit/{name}", **parameters)
    assert isinstance(game, BanditGame)
    return game.table


def is_dyadic(values: np.ndarray) -> bool:
    return bool((np.ldexp(values, 20) == np.rint(np.ldexp(values, 20))).all())


@pytest.mark.parametrize("name", ["random", "correlated", "zero_sum", "cooperative", "taxation"])
def test_payoffs_lie_on_the_grid(name: str) -> None:
    table = table_of(name, num_leader_actions=7, num_follower_actions=5)
    assert table.shape == (7, 5)
    assert is_dyadic(table.leader_means)
    assert is_dyadic(table.follower_means)


def test_random_payoffs_are_uniform() -> None:
    """Mean and variance of 2 x 90,000 payoffs within 5 standard errors (false alarm below 2e-6)."""
    table = table_of("random", num_leader_actions=300, num_follower_actions=300)
    for means in (table.leader_means, table.follower_means):
        assert abs(means.mean() - 1 / 2) < 5 * np.sqrt(1 / 12 / means.size)
        assert abs(means.var() - 1 / 12) < 5 * np.sqrt(1 / 180 / means.size)
    assert abs(np.corrcoef(table.leader_means.ravel(), table.follower_means.ravel())[0, 1]) < 5 / 300


def test_zero_sum_games_have_gap_zero() -> None:
    for seed, epsilon in itertools.product(range(40), (1e-9, 0.05, 0.3, 1.0)):
        table = table_of("zero_sum", num_leader_actions=6, num_follower_actions=5, instance_seed=seed)
        assert (table.leader_means + table.follower_means == 1).all()
        assert pessimistic_gap(table, epsilon) == 0


def test_cooperative_games_have_gap_at_most_epsilon() -> None:
    for seed, epsilon in itertools.product(range(40), (0.05, 0.3)):
        table = table_of("cooperative", num_leader_actions=6, num_follower_actions=5, instance_seed=seed)
        assert (table.leader_means == table.follower_means).all()
        assert 0 <= pessimistic_gap(table, epsilon) <= epsilon


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.5, 0.99])
def test_correlation_is_the_one_asked_for(rho: float) -> None:
    """90,000 pairs: standard error at most 1/300, so 0.02 is 6 of them (false alarm below 1e-8)."""
    table = table_of("correlated", num_leader_actions=300, num_follower_actions=300, correlation=rho)
    assert np.corrcoef(table.leader_means.ravel(), table.follower_means.ravel())[0, 1] == pytest.approx(
        rho, abs=0.02
    )
    for means in (table.leader_means, table.follower_means):
        assert means.mean() == pytest.approx(1 / 2, abs=0.006)
        assert means.var() == pytest.approx(1 / 12, abs=0.003)


def test_extreme_correlations_are_zero_sum_and_cooperative() -> None:
    together, against = table_of("correlated", correlation=1), table_of("correlated", correlation=-1.0)
    assert (together.leader_means == together.follower_means).all()
    assert (against.leader_means + against.follower_means == 1).all()


@pytest.mark.parametrize("delta", [0.5, 0.01, 1e-9])
def test_hard_pair_differs_by_one_half(delta: float) -> None:
    plus, minus = table_of("hard_pair", sign=1, delta=delta), table_of("hard_pair", sign=-1, delta=delta)
    assert pessimistic_values(plus, 0.0) == optimistic_values(plus, 0.0) == [1.0, 0.5]
    assert pessimistic_values(minus, 0.0) == optimistic_values(minus, 0.0) == [0.0, 0.5]
    difference = np.abs(plus.follower_means - minus.follower_means)
    assert difference == pytest.approx(np.array([[delta, delta], [0, 0]]))
    assert (plus.leader_means == minus.leader_means).all()


def test_hard_pair_cannot_be_told_apart() -> None:
    """KL of one sample is delta ln((1+delta)/(1-delta)) <= 3 delta^2, as the proof uses."""
    for delta in (0.5, 0.1, 0.01):
        p, q = (table_of("hard_pair", sign=s, delta=delta).follower_means[0, 0] for s in (1, -1))
        divergence = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
        assert divergence == pytest.approx(delta * np.log((1 + delta) / (1 - delta)))
        assert divergence <= 3 * delta**2


@pytest.mark.parametrize(("lower", "upper"), [(0.0, 1e-6), (0.0, 0.1), (0.25, 0.5), (0.0, 0.99)])
def test_gap_game_has_gap_one_half(lower: float, upper: float) -> None:
    table = table_of("gap", epsilon=upper, lower_epsilon=lower)
    assert max(pessimistic_values(table, lower)) == 1
    assert max(pessimistic_values(table, upper)) == 0.5
    learned = int(np.argmax(pessimistic_values(table, upper)))
    assert pessimistic_values(table, lower)[learned] == 0.5


@pytest.mark.parametrize("bump", [1.0, 1.5])
@pytest.mark.parametrize(("epsilon", "gap"), [(0.1, 0.1), (0.05, 0.0), (0.2, 0.2), (0.01, 0.4)])
def test_lower_bound_games_have_the_gap_asked_for(epsilon: float, gap: float, bump: float) -> None:
    for rows, columns in ((6, 9), (3, 3), (4, 10), (2, 5)):
        table = table_of(
            "lower_bound",
            num_leader_actions=rows,
            num_follower_actions=columns,
            epsilon=epsilon,
            gap=gap,
            bump=bump,
        )
        assert pessimistic_gap(table, epsilon) == pytest.approx(gap, abs=1e-12)
        values = pessimistic_values(table, 0.0)
        assert values.index(max(values)) == rows - 1
        for other in values[:-1]:
            assert max(values) - other == pytest.approx(gap + bump * epsilon, abs=1e-12)
        assert responses(table, rows - 1, epsilon) == [columns // 3 - 1, 2 * (columns // 3) - 1]


def test_lower_bound_places_its_optimum_where_asked() -> None:
    for row, first, second in itertools.product(range(3), range(2), range(2)):
        table = table_of(
            "lower_bound",
            num_leader_actions=3,
            num_follower_actions=7,
            optimal_leader_action=row,
            optimal_response=first,
            near_response=second,
        )
        assert int(np.argmax(pessimistic_values(table, 0.0))) == row
        assert responses(table, row, 0.1) == [first, 2 + second]
        assert (table.leader_means[0] == table.leader_means).all()


def test_trap_is_worth_one_half() -> None:
    for rows, epsilon in itertools.product((1, 4, 9), (0.0, 0.1, 1.0)):
        table = table_of("trap", num_risky=rows)
        assert pessimistic_values(table, epsilon) == [0.0] * rows + [0.5]
        assert optimistic_values(table, epsilon) == [1.0] * rows + [0.5]


@pytest.mark.parametrize("curvature", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("cost", [0.3, 1.0, 3.0])
def test_taxation_follows_the_first_order_condition(curvature: float, cost: float) -> None:
    rates, levels = 9, 201
    table = table_of(
        "taxation",
        num_leader_actions=rates,
        num_follower_actions=levels,
        curvature=curvature,
        labour_cost=cost,
        welfare_weight=0.0,
    )
    for row, tax in enumerate(np.linspace(0, 1, rates)):
        wanted = min(1.0, (curvature * (1 - tax) ** curvature / (2 * cost)) ** (1 / (2 - curvature)))
        chosen = np.array(responses(table, row, 0.0)) / (levels - 1)
        assert np.abs(chosen - wanted).max() <= 1.5 / (levels - 1)
        assert table.leader_means[row] == pytest.approx(tax * np.linspace(0, 1, levels), abs=2e-6)
        # concave: no second difference is positive beyond rounding to the grid
        assert np.diff(table.follower_means[row], 2).max() <= 4 * 2.0**-20
    assert 0 < int(np.argmax(pessimistic_values(table, 0.0))) < rates - 1  # nobody works for a tax of 1


def test_taxation_leader_counts_welfare() -> None:
    table = table_of("taxation", welfare_weight=1.0)
    assert (table.leader_means == table.follower_means).all()


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("correlated", "correlation", 1.5),
        ("correlated", "correlation", float("nan")),
        ("hard_pair", "sign", 0),
        ("hard_pair", "sign", True),
        ("hard_pair", "delta", 1.0),
        ("gap", "epsilon", 0.0),
        ("gap", "lower_epsilon", 0.1),
        ("lower_bound", "num_follower_actions", 2),
        ("lower_bound", "num_leader_actions", 1),
        ("lower_bound", "epsilon", -0.1),
        ("lower_bound", "epsilon", float("inf")),
        ("lower_bound", "gap", 0.4),
        ("lower_bound", "bump", 0.5),
        ("lower_bound", "optimal_leader_action", 6),
        ("lower_bound", "optimal_response", 3),
        ("lower_bound", "near_response", -1),
        ("taxation", "curvature", 0.0),
        ("taxation", "labour_cost", -1.0),
        ("taxation", "welfare_weight", 2.0),
        ("random", "noise_scale", 0.0),
    ],
)
def test_wrong_parameters_are_named(name: str, field: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"^{field}: found"):
        load_game(f"bandit/{name}", **{field: value})


@pytest.mark.parametrize(
    ("leader", "message"),
    [
        ([[0.0, 1.0], [0.5]], "leader_means: found .*rectangular"),
        ([[0.0, float("nan")], [0.5, 0.5]], r"leader_means\[0,1\]: found nan"),
        ([[0.0, 1.0], [0.5, 1.5]], r"leader_means\[1,1\]: found 1\.5, allowed: means in \[0, 1\]"),
        ([], r"leader_means\.shape"),
        ([[0.0, 1.0]], r"follower_means\.shape"),
        ("text", "leader_means: found 'text'"),
    ],
)
def test_explicit_matrices_are_checked(leader: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_game("bandit/explicit", leader_means=leader)


def test_explicit_matrices_beyond_one_need_other_noise() -> None:
    matrix = [[0.0, 4.0]]
    game = load_game("bandit/explicit", leader_means=matrix, follower_means=matrix, noise="gaussian")
    assert isinstance(game, BanditGame)
    assert game.table.leader_means.tolist() == matrix
