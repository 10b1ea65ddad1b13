"""Figures of true games: exact values, bounded by work and not by time, and a word where a game has gone.

Whole reports of one journal have the same bytes in every process.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stackel_bench.reporting.figures import landscape
from stackel_bench.reporting.figures.canvas import Drawing
from stackel_bench.reporting.figures.landscape import draw_landscape
from stackel_bench.reporting.figures.simplex import draw_simplex
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep
from stackel_bench.results.journal import Journal
from tests import brute_force
from tests.reporting.fixture_sweeps import make_entry, make_records, write_cell

LEADER, FOLLOWER = [[1.0, 0.25], [0.5, 0.75]], [[0.5, 0.75], [0.75, 0.25]]
GONE = "Not drawn: the game's file is gone,\nor the game is a program in a file."


def add_cell(folder: Path, cell_id: str, game: dict[str, Any], **changes: Any) -> None:
    """A cell of 60 replicates; on simultaneous games each of them has learned a strategy."""
    folder.mkdir(parents=True, exist_ok=True)
    entry = make_entry(cell_id, game=game["name"], num_leader_actions=2, **changes)
    records = make_records((30, 6, 0), 60)
    if game["name"].startswith("simultaneous"):
        first = np.linspace(0, 1, len(records))
        records = records.assign(strategy_0=first, strategy_1=1 - first)
    config = {**entry.config, "game": game}
    write_cell(Journal(folder), dataclasses.replace(entry, config=config), records)


def explicit(family: str, **changes: Any) -> dict[str, Any]:
    return {"name": f"{family}/explicit", "leader_means": LEADER, "follower_means": FOLLOWER, **changes}


@pytest.fixture
def results(tmp_path: Path) -> SweepResults:
    """Seven games that differ in their noise, and the simultaneous game of the same table."""
    folder = tmp_path / "games-0"
    add_cell(folder, "mixed", explicit("simultaneous"), tie_breaking="optimistic")
    for number in range(7):
        add_cell(folder, f"cell{number}", explicit("bandit", noise_scale=0.1 * (1 + number)))
    return read_sweep(folder)


def words(drawing: Drawing) -> list[str]:
    return [text.get_text() for axes in drawing.figure.axes for text in axes.texts]


def test_landscape_shows_the_exact_values(results: SweepResults) -> None:
    (drawing,) = draw_landscape(results)
    assert "2 more games are left out" in drawing.caption
    finite = [axes for axes in drawing.figure.axes if axes.get_title().startswith("bandit/")]
    assert len(finite) == 5
    for axes in finite:
        for tie, optimistic in (("pessimistic", False), ("optimistic", True)):
            colour = landscape.colours.TIE_COLOURS[tie]
            curve, level = [line for line in axes.lines if line.get_color() == colour]
            for slack, value in curve.get_xydata():
                exact = brute_force.stackelberg_value(LEADER, FOLLOWER, Fraction(slack), optimistic)
                assert value == float(exact)
            assert set(level.get_ydata()) == {curve.get_ydata()[0]}


def test_what_is_drawn_does_not_depend_on_the_clock(
    results: SweepResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A minute passes between any two looks at the clock, as on a machine that is very busy."""
    (expected,) = draw_landscape(results)
    minutes = itertools.count()
    for clock in ("monotonic", "perf_counter", "time", "process_time"):
        monkeypatch.setattr(time, clock, lambda: 60.0 * next(minutes))
    (drawing,) = draw_landscape(results)
    assert [axes.get_title() for axes in drawing.figure.axes] == [
        axes.get_title() for axes in expected.figure.axes
    ]
    assert drawing.caption == expected.caption


@pytest.mark.parametrize(("limit", "drawn"), [("MOST_ENTRIES", 0), ("MOST_MIXED_ENTRIES", 6)])
def test_large_games_are_left_out(
    results: SweepResults, monkeypatch: pytest.MonkeyPatch, limit: str, drawn: int
) -> None:
    """The tables here have four entries; only one of them is of a game whose leader mixes."""
    monkeypatch.setattr(landscape, limit, 3)
    titles = [axes.get_title() for drawing in draw_landscape(results) for axes in drawing.figure.axes]
    assert len(titles) == drawn
    assert all(title.startswith("bandit/") for title in titles)


def test_simplex_shows_the_learned_strategies_on_the_exact_curve(results: SweepResults) -> None:
    (drawing,) = draw_simplex(results)
    (axes,) = drawing.figure.axes
    tolerant, exact = axes.lines[:2]
    (dots,) = [line for line in axes.lines if line.get_marker() == "o"]
    assert len(dots.get_xdata()) == 60
    for line, slack in ((tolerant, Fraction(1, 10)), (exact, Fraction(0)), (dots, Fraction(0))):
        for weight, value in line.get_xydata()[::20]:
            leader, follower = (mixed(matrix, weight) for matrix in (LEADER, FOLLOWER))
            (wanted,) = brute_force.leader_values([leader], [follower], slack, optimistic=True)
            assert value == pytest.approx(float(wanted), abs=1e-12)


def mixed(matrix: list[list[float]], weight: float) -> list[Fraction]:
    """The payoffs of each response if the first action has this weight, read as a fraction on paper."""
    first = Fraction(weight).limit_denominator(1000)
    return [first * Fraction(x) + (1 - first) * Fraction(y) for x, y in zip(*matrix, strict=True)]


def test_a_game_whose_file_has_gone_is_named(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    np.savez(path, leader_means=LEADER, follower_means=FOLLOWER)
    for family in ("bandit", "simultaneous"):
        add_cell(tmp_path / "files-0", family, {"name": f"{family}/from_file", "path": str(path)})
    results = read_sweep(tmp_path / "files-0")
    (before,) = draw_landscape(results)
    assert words(before) == words(draw_simplex(results)[0]) == []
    path.unlink()
    (landscapes,), (simplex,) = draw_landscape(results), draw_simplex(results)
    assert words(landscapes) == [GONE, GONE]
    assert words(simplex) == [GONE]


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    """All of report.html, figures and tables, whatever the order of sets and the time of day."""
    folder = tmp_path / "twice-0"
    add_cell(folder, "gone", {"name": "bandit/from_file", "path": "/nowhere.npz"}, epsilon=0.2)
    for tie in ("pessimistic", "optimistic"):
        add_cell(folder, tie, explicit("simultaneous"), tie_breaking=tie)
    program = (
        "import sys; from pathlib import Path; "
        "from stackel_bench.reporting.pages.report import write_report; "
        "from stackel_bench.reporting.sweep_results import read_sweep; "
        "print(*write_report(read_sweep(Path(sys.argv[1]))), sep='\\n')"
    )
    made = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program, folder],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        time.sleep(1.1 if not made else 0.0)  # so that a time with seconds would differ
        made.append({path: Path(path).read_bytes() for path in done.stdout.split()})
        for path in made[-1]:
            Path(path).unlink()
    assert {"gap_landscape.svg", "simplex_2.png", "paired.csv"} <= {Path(path).name for path in made[0]}
    assert made[0].keys() == made[1].keys()
    assert [path for path in made[0] if made[0][path] != made[1][path]] == []


def test_a_report_runs_no_code_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder may come from somebody else, with a journal that names a file of theirs as the game."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theirs.py").write_text("open('ran', 'w').close()\ndef game():\n    raise OSError\n")
    folder = tmp_path / "theirs-0"
    for name in ("theirs:game", f"{tmp_path}/theirs.py:game"):
        add_cell(folder, name.replace("/", "-"), {"name": name})
    found = read_sweep(folder)
    (drawing,) = draw_landscape(found)
    assert words(drawing) == [GONE, GONE]
    draw_simplex(found)
    assert not (tmp_path / "ran").exists()
