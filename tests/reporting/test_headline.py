"""The sentences that answer a study's question, from made-up failures whose answer is known."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from stackel_bench.reporting.headline import headline
from stackel_bench.reporting.sweep_results import read_sweep
from stackel_bench.results.journal import Journal
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
    assert "the smaller loss is shown for pessimistic in 0, optimistic in 1 of 1 pair" in text


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
    text = "\n".join(headline(read_sweep(tmp_path)))
    assert "1 of 2 cells is vacuous: no answer could have failed there." in text
    assert "times" not in text
