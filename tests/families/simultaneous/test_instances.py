"""Named simultaneous games: what their descriptions claim, by enumeration and by HiGHS."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from stackel_bench.errors import InputError
from stackel_bench.families.games import load_game
from stackel_bench.families.simultaneous.instances import SimultaneousGame
from stackel_bench.models import PayoffTable


def table_of(name: str, **parameters: object) -> PayoffTable:
    game = load_game(f"simultaneous/{name}", **parameters)
    assert isinstance(game, SimultaneousGame)
    return game.table


def best_commitment(table: PayoffTable) -> tuple[float, np.ndarray]:
    """Value and strategy of the optimistic commitment: one LP per response (Conitzer and Sandholm)."""
    leader, follower = table.leader_means, table.follower_means
    found = []
    for b in range(table.shape[1]):
        result = linprog(
            -leader[:, b],
            A_ub=(follower - follower[:, [b]]).T,
            b_ub=np.zeros(table.shape[1]),
            A_eq=np.ones((1, table.shape[0])),
            b_eq=[1],
        )
        if result.status == 0:
            found.append((-result.fun, result.x))
    return max(found, key=lambda pair: pair[0])


def exact_values(table: PayoffTable, strategy: list[Fraction], slack: Fraction) -> tuple[Fraction, Fraction]:
    """Pessimistic and optimistic value of a strategy in rational arithmetic."""
    rows, columns = table.shape

    def mean(matrix: np.ndarray, b: int) -> Fraction:
        return sum((strategy[a] * Fraction(float(matrix[a, b])) for a in range(rows)), Fraction(0))

    follower = [mean(table.follower_means, b) for b in range(columns)]
    leader = [mean(table.leader_means, b) for b in range(columns) if max(follower) - follower[b] <= slack]
    return min(leader), max(leader)


def test_commitment_is_the_papers_table() -> None:
    """Sweep of the segment in steps of 1/2048: sup phi_eps = 7/8 - eps/8, max psi_eps = 7/8 + eps/8."""
    table = table_of("commitment")
    assert (table.leader_means * 4).tolist() == [[2, 4], [1, 3]]
    assert table.follower_means.tolist() == [[1, 0], [0, 1]]
    step = Fraction(1, 2048)
    for epsilon in (Fraction(0), Fraction(1, 8), Fraction(1, 4)):
        values = [exact_values(table, [k * step, 1 - k * step], epsilon) for k in range(2049)]
        worst, best = max(v[0] for v in values), max(v[1] for v in values)
        assert 0 <= Fraction(7, 8) - epsilon / 8 - worst <= step
        assert best == Fraction(7, 8) + epsilon / 8


def test_indifference_is_the_table_of_the_errata() -> None:
    table = table_of("indifference")
    assert table.leader_means.tolist() == [[1, 0, 0], [0, 0, 0.5]]
    assert table.follower_means.tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 1]]
    # responses 0 and 1 tie under every strategy; max psi_0 over a grid is 1, at the first row
    values = [exact_values(table, [Fraction(k, 64), 1 - Fraction(k, 64)], Fraction(0)) for k in range(65)]
    assert max(range(65), key=lambda k: values[k][1]) == 64
    assert exact_values(table, [Fraction(1), Fraction(0)], Fraction(0)) == (0, 1)
    # responses at slack eps are worth no more than the best ones where the leader would commit: gap 0
    assert exact_values(table, [Fraction(1), Fraction(0)], Fraction(1, 10))[1] == 1


@pytest.mark.parametrize(("targets", "resources"), [(4, 2), (5, 1), (3, 3), (6, 3), (1, 1)])
def test_security_pays_by_coverage(targets: int, resources: int) -> None:
    table = table_of("security", num_targets=targets, num_resources=resources)
    choices = list(itertools.combinations(range(targets), resources))
    assert table.shape == (len(choices), targets)
    for t in range(targets):
        for means, guarded_is_better in ((table.leader_means, True), (table.follower_means, False)):
            inside = {float(means[a, t]) for a, choice in enumerate(choices) if t in choice}
            outside = {float(means[a, t]) for a, choice in enumerate(choices) if t not in choice}
            assert len(inside) == 1
            assert len(outside) <= 1
            for guarded, open_ in itertools.product(inside, outside):
                assert (guarded >= 0.5 >= open_) if guarded_is_better else (guarded <= 0.5 <= open_)


def test_security_commitment_beats_every_patrol() -> None:
    for seed in range(10):
        table = table_of("security", num_targets=4, num_resources=1, instance_seed=seed)
        pure = max(
            exact_values(table, [Fraction(int(a == b)) for b in range(4)], Fraction(0))[1] for a in range(4)
        )
        assert best_commitment(table)[0] >= float(pure) - 1e-9


def test_too_many_patrols_are_refused() -> None:
    with pytest.raises(InputError, match="num_targets: found 60, allowed: at most 100000 ways"):
        table_of("security", num_targets=60, num_resources=30)


@pytest.mark.parametrize(
    ("periods", "cost", "legal"), [(1, 0.25, 0.5), (2, 0.25, 0.625), (4, 0.5, 0.75), (3, 0.125, 0.75)]
)
def test_inspection_deters_by_mixing(periods: int, cost: float, legal: float) -> None:
    """Worth 1 - n (1 - legal) cost by the smallest deterring probabilities, as HiGHS finds."""
    table = table_of(
        "inspection", num_periods=periods, inspection_cost=cost, legal_reward=legal, caught_value=0.25
    )
    value, strategy = best_commitment(table)
    assert value == pytest.approx(1 - periods * (1 - legal) * cost, abs=1e-9)
    assert strategy[1:] == pytest.approx([1 - legal] * periods, abs=1e-9)
    never = exact_values(table, [Fraction(1)] + [Fraction(0)] * periods, Fraction(0))
    assert never == (0, 0)  # without inspections there is a violation


@pytest.mark.parametrize(("cost", "substitution"), [(0.0, 0.5), (0.125, 2.0), (0.5, 10.0), (0.25, 0.0)])
def test_bertrand_prices(cost: float, substitution: float) -> None:
    rows, columns = 9, 401
    table = table_of(
        "bertrand",
        num_leader_actions=rows,
        num_follower_actions=columns,
        unit_cost=cost,
        substitution=substitution,
    )
    prices = np.linspace(cost, 1, columns)
    for row, price in enumerate(np.linspace(cost, 1, rows)):
        wanted = min(1.0, (1 + substitution * price + cost * (1 + substitution)) / (2 * (1 + substitution)))
        chosen = prices[int(np.argmax(table.follower_means[row]))]
        assert abs(chosen - wanted) <= 1.5 * (1 - cost) / (columns - 1)
    assert table.leader_means.max() <= 1
    assert table.follower_means.max() == pytest.approx(1, abs=1e-4)  # rival at 1, own price halfway
    square = table_of("bertrand", num_leader_actions=7, num_follower_actions=7, unit_cost=cost)
    assert np.array_equal(square.leader_means, square.follower_means.T)  # the firms are alike


@pytest.mark.parametrize("name", ["random", "correlated", "explicit"])
def test_tables_are_those_of_bandit_games(name: str) -> None:
    sizes = {} if name == "explicit" else {"num_leader_actions": 5, "num_follower_actions": 3}
    bandit = load_game(f"bandit/{name}", **sizes)
    simultaneous = load_game(f"simultaneous/{name}", **sizes)
    assert np.array_equal(bandit.table.leader_means, simultaneous.table.leader_means)  # type: ignore[attr-defined]
    assert np.array_equal(bandit.table.follower_means, simultaneous.table.follower_means)  # type: ignore[attr-defined]
    assert bandit.identity != simultaneous.identity


def test_gambit_file_with_rescaling(tmp_path: Path) -> None:
    """The paper's table as Gambit would write it, payoffs up to 4."""
    file = tmp_path / "mixed.nfg"
    file.write_text('NFG 1 R "mixed" { "leader" "follower" } { 2 2 }\n2 1 1 0 4 0 3 1\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"leader_means\[0,0\]: found 2\.0, allowed: means in \[0, 1\]"):
        table_of("from_file", path=str(file))
    table = table_of("from_file", path=str(file), rescale=True)
    assert table.leader_means == pytest.approx((np.array([[2, 4], [1, 3]]) - 1) / 3)
    assert table.follower_means.tolist() == [[1, 0], [0, 1]]
    plain = table_of("from_file", path=str(file), noise="gaussian", noise_scale=1.0)
    assert plain.leader_means.tolist() == [[2, 4], [1, 3]]


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("security", "num_targets", 0),
        ("security", "num_resources", 5),
        ("security", "num_resources", 0),
        ("inspection", "num_periods", 0),
        ("inspection", "inspection_cost", 1.5),
        ("inspection", "legal_reward", -0.5),
        ("inspection", "caught_value", 2.0),
        ("bertrand", "unit_cost", 1.0),
        ("bertrand", "substitution", -1.0),
        ("bertrand", "num_leader_actions", 1),
        ("correlated", "correlation", -2.0),
    ],
)
def test_wrong_parameters_are_named(name: str, field: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"^{field}: found"):
        table_of(name, **{field: value})
