"""Groups of cells along one parameter: found where everything else agrees, bracketed by their ladders."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from stackel_bench.reporting.report import write_report
from stackel_bench.reporting.scaling import exponent_table, scalings
from stackel_bench.reporting.sweep_results import read_sweep
from stackel_bench.reporting.theorems import lower_bound, theorem_exponent
from stackel_bench.results.journal import Journal
from tests.reporting.fixture_sweeps import make_entry, make_records, write_cell


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three values of eps and three of A: smaller eps and larger A need more; the hardest is censored."""
    journal = Journal(tmp_path)
    ladders = {0: (0, 0, 0), 1: (30, 0, 0), 2: (30, 30, 0), 3: (30, 30, 30)}
    for position, epsilon in enumerate((0.4, 0.2, 0.1)):
        entry = make_entry(f"e{position}", epsilon=epsilon)
        write_cell(journal, entry, make_records(ladders[position + 1], 60))
    for position, actions in enumerate((3, 9)):
        entry = make_entry(f"a{position}", num_leader_actions=actions)
        write_cell(journal, entry, make_records(ladders[2 + position], 60))
    return tmp_path


def test_groups_and_brackets(folder: Path) -> None:
    found, groups = scalings(read_sweep(folder))
    by_axis = {scaling.axis: scaling for scaling in found}
    assert groups == 2
    assert set(by_axis) == {"epsilon", "num_leader_actions"}
    frame = by_axis["epsilon"].frame
    assert frame["x"].tolist() == [0.1, 0.2, 0.4]
    assert frame["lower"].tolist() == [1600, 400, 100]
    assert frame["upper"].tolist() == [math.inf, 1600, 400]
    law = by_axis["epsilon"].law
    assert law is not None
    assert law.exponent == pytest.approx(-2, abs=0.6)
    assert by_axis["epsilon"].theorem == -2
    assert by_axis["num_leader_actions"].frame["x"].tolist() == [3, 5, 9]


def test_table_and_figure(folder: Path) -> None:
    results = read_sweep(folder)
    table = exponent_table(scalings(results)[0])
    assert table["censored"].tolist() == [1, 2]
    assert table["replicates"].tolist() == [60, 60]
    names = {path.name for path in write_report(results)}
    assert {"scaling_bandit_epsilon.svg", "scaling_bandit_num_leader_actions.png", "exponents.tex"} <= names


def test_groups_are_told_apart(tmp_path: Path) -> None:
    """Three values of eps on each of two games that differ in an option: two names."""
    journal = Journal(tmp_path)
    for actions in (5, 9):
        for epsilon in (0.4, 0.2, 0.1):
            entry = make_entry(f"{actions}-{epsilon}", epsilon=epsilon, num_leader_actions=actions)
            write_cell(journal, entry, make_records((30, 0, 0), 60))
    found, _ = scalings(read_sweep(tmp_path))
    names = [scaling.name for scaling in found]
    assert names == ["bandit/trap · paper game.num_risky=4", "bandit/trap · paper game.num_risky=8"]


def test_theorems() -> None:
    assert theorem_exponent("bandit_rl", "horizon") == 5
    assert theorem_exponent("linear", "num_states") is None
    row = {"family": "bandit", "epsilon": 0.01, "num_leader_actions": 6, "num_follower_actions": 9}
    assert lower_bound(row) == math.floor(3 * 6 * 3 / (864 * 1e-4))
    assert lower_bound({**row, "family": "linear"}) is None
