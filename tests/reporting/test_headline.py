"""The sentences that answer a study's question, from made-up failures whose answer is known."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from stackel_bench.reporting.along.trends import trends
from stackel_bench.reporting.answer import answer_of
from stackel_bench.reporting.console.strip import strip_lines
from stackel_bench.reporting.headline import headline
from stackel_bench.reporting.sweep_results import read_sweep
from stackel_bench.results.journal import Journal
from stackel_bench.statistics.verdicts import VACUOUS
from tests.reporting.fixture_sweeps import make_entry, make_records, troubled_sweep, write_cell

BUDGETS = tuple(100 * 4**k for k in range(6))
EARLY, LATE, NEVER = (30, 3, 0, 0, 0, 0), (200, 150, 30, 3, 0, 0), (200,) * 6


def told(folder: Path, cells: dict[str, tuple[dict[str, Any], tuple[int, ...]]]) -> str:
    folder.mkdir(exist_ok=True)
    journal = Journal(folder)
    for cell_id, (changes, failures) in cells.items():
        entry = make_entry(cell_id, replicates=200, theory=float(BUDGETS[-1]), **changes)
        write_cell(journal, entry, make_records(failures, 200, samples=BUDGETS[: len(failures)]))
    return "\n".join(headline(read_sweep(folder)))


def test_learners_and_tie_breakings(tmp_path: Path) -> None:
    """The second ladder is the first one moved by two rungs: 16 times the samples."""
    text = told(
        tmp_path,
        {
            "a": ({}, LATE),
            "b": ({"tie_breaking": "optimistic"}, EARLY),
            "c": ({"algorithm": "plug_in"}, NEVER),
            "d": ({"algorithm": "plug_in", "tie_breaking": "optimistic"}, LATE),
        },
    )
    assert "With paper, pessimistic tie-breaking needs 16 [" in text
    assert "plug_in needs more than" in text
    assert "even at the largest budget: plug_in on bandit/trap (pessimistic: 200 of 200 replicates" in text


def test_a_learner_that_contradicts_the_first_is_told_too(tmp_path: Path) -> None:
    """Learner b goes the other way, learner c the same way as the first."""
    order = {"paper": (LATE, EARLY), "plug_in": (EARLY, LATE), "half_tolerance": (LATE, EARLY)}
    cells = {
        f"{name}-{tie}": ({"algorithm": name, "tie_breaking": tie}, failures)
        for name, both in order.items()
        for tie, failures in zip(("pessimistic", "optimistic"), both, strict=True)
    }
    text = told(tmp_path, cells)
    assert "With paper, pessimistic tie-breaking needs 16 [" in text
    assert "With plug_in, pessimistic tie-breaking needs 0.062 [" in text
    assert "With half_tolerance, pessimistic" not in text


def test_many_games_are_summed_up(tmp_path: Path) -> None:
    cells = {}
    for size in range(2, 8):
        cells[f"a{size}"] = ({"num_leader_actions": size}, LATE)
        cells[f"b{size}"] = ({"num_leader_actions": size, "tie_breaking": "optimistic"}, EARLY)
    text = told(tmp_path, cells)
    assert "times the samples of optimistic over 6 games (more on 6, fewer on 0, undecided on 0" in text
    assert "Along game.num_risky, samples that paper needs on bandit/trap: pessimistic" in text
    assert "Nothing is shown to fail at the largest budget; 12 of 12 shown to hold." in text


def test_random_instances_are_one_game(tmp_path: Path) -> None:
    cells = {}
    for seed in range(4):
        cells[f"a{seed}"] = ({"instance_seed": seed}, LATE)
        cells[f"b{seed}"] = ({"instance_seed": seed, "tie_breaking": "optimistic"}, (EARLY, LATE)[seed % 2])
    text = told(tmp_path, cells)
    assert "Pessimistic tie-breaking needs 4 [" in text
    assert "times the samples of optimistic on bandit/trap." in text
    assert "instance" not in text.split(".")[0]


def test_single_budgets_are_compared_by_loss(tmp_path: Path) -> None:
    cells = {
        "a": ({"budget": "fixed"}, (150,)),
        "b": ({"budget": "fixed", "tie_breaking": "optimistic"}, (0,)),
    }
    text = told(tmp_path, cells)
    assert "pessimistic is shown to lose less in 0, optimistic in 1 of 1 pair of cells." in text
    assert "budget=ladder" in text
    assert "Failing too often: paper" in text


def test_one_cell_and_none(tmp_path: Path) -> None:
    text = told(tmp_path / "one", {"a": ({"budget": "fixed"}, (0,))})
    assert "paper (pessimistic) on bandit/trap with 100 samples: 0 of 200 replicates failed" in text
    troubled = troubled_sweep(tmp_path)
    assert headline(dataclasses.replace(troubled, entries=troubled.failed)) == ()


def test_vacuous_cells_are_told_and_not_compared(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for cell_id, tie in (("a", "pessimistic"), ("b", "optimistic")):
        records = make_records(EARLY, 200, samples=BUDGETS).assign(vacuous=tie == "optimistic")
        write_cell(journal, make_entry(cell_id, replicates=200, tie_breaking=tie), records)
    results = read_sweep(tmp_path)
    text = "\n".join(headline(results))
    assert "1 of 2 cells is vacuous: no answer could lose too much there." in text
    assert "are not compared on bandit/trap at eps 0.1: with optimistic tie-breaking no answer loses" in text
    assert "times" not in text
    answer = answer_of(results)
    assert answer is not None
    assert [dot.mark for dot in answer.rows[0].dots] == ["", VACUOUS], "drawn, without a number"
    assert any("vacuous" in line.plain for line in strip_lines(answer, 100))


def test_a_trend_leaves_out_values_that_say_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for size in range(2, 5):
        for tie in ("pessimistic", "optimistic"):
            records = make_records(EARLY, 200, samples=BUDGETS)
            records = records.assign(vacuous=tie == "optimistic" and size == 2)
            changes = {"num_leader_actions": size, "tie_breaking": tie}
            write_cell(journal, make_entry(f"{tie}{size}", replicates=200, **changes), records)
    found = {
        trend.tie_breaking: [point.x for point in trend.points] for trend in trends(read_sweep(tmp_path))
    }
    assert found == {"pessimistic": [1, 2, 3], "optimistic": [2, 3]}
