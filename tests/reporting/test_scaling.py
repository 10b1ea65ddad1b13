"""Groups of cells along one parameter: what belongs together, what is fitted, drawn and left out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stackel_bench.reporting.along.scaling import TOO_UNCERTAIN, exponent_table, scalings
from stackel_bench.reporting.answer import worst_case
from stackel_bench.reporting.figures.scaling import draw_scaling
from stackel_bench.reporting.pages.report import write_report
from stackel_bench.reporting.sweep_results import read_sweep
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


def sloped(axes: Any) -> list[Any]:
    """The lines that are not points or vertical bars."""
    return [line for line in axes.lines if len(set(line.get_xdata())) > 1]


def test_groups_and_their_numbers(folder: Path) -> None:
    """60 replicates show that 30 failures are too many, never that 0 are few: intervals are open above."""
    found, groups = scalings(read_sweep(folder))
    by_axis = {scaling.axis: scaling for scaling in found}
    assert groups == 2
    assert set(by_axis) == {"epsilon", "num_leader_actions"}
    frame = by_axis["epsilon"].frame
    assert frame["x"].tolist() == [0.1, 0.2, 0.4]
    assert frame["censored"].tolist() == [True, False, False]
    assert frame["samples"][0] == 1600
    assert 400 < frame["samples"][1] < 1600
    assert 100 < frame["samples"][2] < 400
    assert frame["low"].tolist() == [1600, 400, 100]
    assert frame["high"].isna().all()
    assert by_axis["epsilon"].theorem == -2
    assert by_axis["num_leader_actions"].frame["x"].tolist() == [3, 5, 9]


def test_fits_that_are_useless_are_named_and_not_drawn(folder: Path) -> None:
    """Three cells leave one degree of freedom: their exponent is too uncertain, and there is no line."""
    results = read_sweep(folder)
    found = scalings(results)[0]
    table = exponent_table(found)
    assert table["exponent"][0] == TOO_UNCERTAIN
    assert float(table["exponent at most"][0]) - float(table["exponent at least"][0]) > 1
    assert table["outside the ladder"].tolist() == [1, 2]
    assert table["replicates"].tolist() == [60, 60]
    drawing = draw_scaling(found)[0]
    (axes,) = drawing.figure.axes
    assert [line.get_marker() for line in axes.lines if line.get_marker() in ("^", "v")] == ["^"]
    assert sloped(axes) == []
    assert TOO_UNCERTAIN in drawing.figure.legends[0].get_texts()[0].get_text()
    names = {path.name for path in write_report(results)}
    assert {"scaling_bandit_epsilon.svg", "scaling_bandit_num_leader_actions.png", "exponents.tex"} <= names
    assert TOO_UNCERTAIN in (folder / "report.html").read_text("utf-8")


def test_random_instances_are_pooled(tmp_path: Path) -> None:
    """Five values of A, three instances of each that need 100 A samples up to a factor: one line, slope 1."""
    journal, rng = Journal(tmp_path), np.random.default_rng(0)
    budgets = 50 * 2 ** np.arange(9)
    for actions in (2, 4, 8, 16, 32):
        for instance in range(3):
            thresholds = 100 * actions * rng.lognormal(0, 0.1) * rng.lognormal(-0.8, 0.5, 200)
            changes = {"num_leader_actions": actions, "instance_seed": instance, "replicates": 200}
            failures = (budgets < thresholds[:, None]).sum(axis=0)
            entry = make_entry(f"{actions}-{instance}", **changes)
            write_cell(journal, entry, make_records(failures, 200, samples=budgets))
    (found,) = scalings(read_sweep(tmp_path))[0]
    assert found.name == "bandit/trap · paper"
    assert found.frame["x"].tolist() == sorted([2, 4, 8, 16, 32] * 3)
    law = found.law
    assert law is not None
    assert (law.cells, law.useful) == (15, True)
    assert law.low < 1 < law.high
    (drawing,) = draw_scaling([found])
    (axes,) = drawing.figure.axes
    for line, slope in zip(sloped(axes), (law.exponent, 1.0), strict=True):  # fitted, theorem
        ends = np.log(line.get_xydata())
        assert np.ptp(ends[:, 1]) / np.ptp(ends[:, 0]) == pytest.approx(slope)
    points = [line.get_ydata()[0] for line in axes.lines if line.get_marker() == "o"]
    assert points == found.frame["samples"].tolist()
    bars = [list(line.get_ydata()) for line in axes.lines if len(line.get_ydata()) == 2]
    assert bars[: len(points)] == found.frame[["low", "high"]].to_numpy().tolist()


def test_samples_used_of_learners_that_stop(tmp_path: Path) -> None:
    """Samples used grow like A squared; no ladder, so nothing is censored."""
    journal, rng = Journal(tmp_path), np.random.default_rng(1)
    for actions in (2, 4, 8, 16):
        used = 10 * actions**2 * rng.lognormal(0, 0.3, 60)
        entry = make_entry(f"s{actions}", num_leader_actions=actions, budget="theory")
        write_cell(journal, entry, make_records((0,), 60, samples=used[:, None]))
    (found,) = scalings(read_sweep(tmp_path))[0]
    assert found.stops
    assert found.law is not None
    assert found.law.exponent == pytest.approx(2, abs=0.1)
    assert found.law.useful
    assert (found.frame["low"] < found.frame["high"]).all()
    assert not found.frame[["censored", "at_most"]].any(axis=None)
    (drawing,) = draw_scaling([found])
    assert "(samples used)" in drawing.figure.legends[0].get_texts()[0].get_text()


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
    row = {"family": "bandit", "epsilon": 0.01, "num_leader_actions": 6, "num_follower_actions": 9}
    assert worst_case(row) == math.floor(3 * 6 * 3 / (864 * 1e-4))
    assert math.isnan(worst_case({**row, "family": "linear"}))
