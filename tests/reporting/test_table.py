"""The table at the end of a run: fits 100 columns, names trouble, says where to go on."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from stackel_bench.reporting.console.table import print_table
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep
from stackel_bench.results.journal import Journal
from tests.reporting.fixture_sweeps import make_entry, make_records, troubled_sweep, write_cell


def printed(results: SweepResults, **options: object) -> str:
    target = io.StringIO()
    print_table(Console(file=target, highlight=False, soft_wrap=True, **options), results)  # type: ignore[arg-type]
    return target.getvalue()


@pytest.mark.parametrize("width", [100, 80])
def test_fits(tmp_path: Path, width: int) -> None:
    text = printed(troubled_sweep(tmp_path), force_terminal=True, width=width, color_system=None)
    shell = ("results ", "report ", "next ", "failed ")  # paths and messages are not cut, terminals wrap them
    lines = [line for line in text.splitlines() if not line.startswith(shell)]
    assert max(map(len, lines)) <= width


def test_says_everything(tmp_path: Path) -> None:
    results = troubled_sweep(tmp_path)
    text = printed(results)
    assert "4 cells, failure probability at most delta: 2 holds, 1 fails, 1 open" in text
    assert "45/60" in text
    assert ">1600" in text
    assert "failed paper on bandit/trap, pessimistic tie-breaking, eps 0.2: ArithmeticError" in text
    assert "2 of 7 cells are not finished" in text
    assert f"results {results.folder}" in text
    assert "stackel-bench ui" not in text  # nothing was logged, so its pages would be empty
    (results.folder.parent.parent / "mlflow.db").touch()
    assert "stackel-bench ui output=" in printed(results)
    samples = 2 * 60 * 1600  # two pairs of cells, each pair on the same samples
    assert f"cost    {samples / 1e5:.2f}e5 samples" in text


@pytest.mark.parametrize("width", [100, 80, 60])
def test_nothing_is_cut(tmp_path: Path, width: int) -> None:
    """Learners and games whose long names differ at the end, small eps, a thousand replicates."""
    journal = Journal(tmp_path / "long-1")
    journal.folder.mkdir()
    learners = [f"a_learner_whose_name_is_really_long_{number}" for number in range(2)]
    games = [f"bandit/{'very_' * 20}long_{number}" for number in range(2)]
    records = make_records((990, 960, 936), 1000)
    for number, (game, learner) in enumerate([(game, learner) for game in games for learner in learners]):
        for tie in ("pessimistic", "optimistic"):
            changes = {"game": game, "algorithm": learner, "tie_breaking": tie, "epsilon": 0.0125}
            write_cell(journal, make_entry(f"{tie}{number}", replicates=1000, **changes), records)
    text = printed(read_sweep(journal.folder), force_terminal=True, width=width, color_system=None)
    table = text.split("─" * width)[1]
    lines = [line.strip() for line in table.splitlines()]
    assert [lines.count(learner) for learner in learners] == [2, 2]  # once per game, on lines of their own
    assert all("".join(lines).count(game) == 1 for game in games)
    assert sum("0.0125" in line and "936/1000" in line for line in lines) == 8
    assert "…" not in text


def test_the_longest_built_in_learner_fits_and_the_interval_where_there_is_room(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "one-1")
    journal.folder.mkdir()
    write_cell(journal, make_entry("aaaa", algorithm="successive_elimination"), make_records((40, 6, 0), 60))
    text = printed(read_sweep(journal.folder))
    assert "  successive_elimination   pessimistic" in text
    assert "needs within" not in text
    assert "bandit · 1 cell, failure" in text
    assert "holds in 1 of 1 cell; needs" in text
    assert "(1 of 1 cell finished)" in text
    text = printed(troubled_sweep(tmp_path))
    assert ">1600    [1600, –] fails" in text
    assert "needs within: interval of the samples needed" in " ".join(text.split())


def test_marks_are_explained(tmp_path: Path) -> None:
    text = " ".join(printed(troubled_sweep(tmp_path)).split())
    for mark in (">: even the largest budget", "≤: the smallest never failed", "–: no ladder of budgets"):
        assert mark in text
