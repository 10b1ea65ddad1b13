"""Cells that raise and tasks that kill their worker: reported, kept apart, tried again; the others go on."""

from __future__ import annotations

import json
from pathlib import Path

from tests.sweeps import commands
from tests.sweeps.conftest import SERIAL, SMALL


def test_raising_cells_are_retried_next_time(
    output: Path, faults: Path, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    arguments = ["sweep", *SERIAL, f"output={output}"]
    (faults / "raise").touch()
    ended = commands.run(arguments, tmp_path, faults)
    assert ended.code == 1
    assert ended.errors == ""
    assert "6 cells failed" in ended.output
    failed = [entry for entry in commands.journal_entries(output) if entry.state == "failed"]
    assert len(failed) == 6
    assert {entry.error for entry in failed} == {"ArithmeticError: the learner has lost its mind"}
    assert all("in _strike" in entry.traceback for entry in failed)
    folder = commands.sweep_folder(output)
    for entry in failed:
        assert "in _strike" in (folder / "failures" / f"{entry.cell_id}.txt").read_text()
    traces = [path for path in output.glob("mlartifacts/**/failure.txt") if "in _strike" in path.read_text()]
    assert len(traces) == 6
    states = commands.runs(output / "mlflow.db")
    assert sorted(states.values()) == [["FAILED"]] * 6 + [["FINISHED"]] * 18
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["finished"], summary["failed"], summary["unfinished"]) == (18, 6, 0)
    assert {failure["cell_id"] for failure in summary["failures"]} == {entry.cell_id for entry in failed}

    (faults / "raise").unlink()
    ended = commands.run([*arguments, "only=failed", "limit=2"], tmp_path, faults)
    assert ended.code == 0
    assert sorted(commands.runs(output / "mlflow.db").values()) == [["FAILED"]] * 4 + [["FINISHED"]] * 20
    assert commands.run(arguments, tmp_path, faults).code == 0
    assert commands.results(output) == undisturbed
    assert not list((folder / "failures").iterdir())
    assert set(map(tuple, commands.runs(output / "mlflow.db").values())) == {("FINISHED",)}
    assert len(commands.journal_entries(output)) == 30, "six failures, then every cell once"


def test_fail_fast_stops_at_the_first_failure(faults: Path, tmp_path: Path) -> None:
    output = tmp_path / "output"
    (faults / "raise").touch()
    arguments = ["sweep", *SERIAL, "tracking=off", f"output={output}", "fail_fast=true"]
    ended = commands.run(arguments, tmp_path, faults)
    assert ended.code == 1
    states = [entry.state for entry in commands.journal_entries(output)]
    assert states.count("failed") == 2, "the two cells of one trial"
    assert len(states) < 24
    assert "cells are not finished" in ended.output


def test_cell_that_kills_every_worker(faults: Path, tmp_path: Path) -> None:
    """Ray retries; then the cell fails alone, also out of a bundle with others. No word from Ray itself."""
    output = tmp_path / "output"
    (faults / "die").touch()
    arguments = ["sweep", *SMALL, "execution.num_cpus=2", "tracking=off", f"output={output}"]
    arguments += ["execution.batch_seconds=1", "game.instance_seed=0", "budget.epsilon=0.1,0.25"]
    with commands.running(commands.started(arguments, tmp_path, faults)) as driver:
        ended = driver.wait()
    assert ended.code == 1
    assert ended.errors == ""
    assert not any(word in ended.output for word in ("raylet", "died", "pid="))
    entries = commands.journal_entries(output)
    assert {e.description["epsilon"] for e in entries if e.state == "failed"} == {0.25}
    assert {e.description["epsilon"] for e in entries if e.state == "finished"} == {0.1}
    assert all("WorkerCrashedError" in e.error for e in entries if e.state == "failed")
    assert all("execution.memory_per_task" in e.error for e in entries if e.state == "failed")
