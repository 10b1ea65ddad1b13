"""`verify` finds every fault that is planted in a real sweep, and none in an undisturbed one."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from stackel_bench.cli import main
from stackel_bench.evaluation.summary import summarise
from stackel_bench.results.entry import Entry
from stackel_bench.results.journal import Journal
from stackel_bench.sweeps.verify import chosen
from stackel_bench.text import plural
from tests.sweeps import commands
from tests.sweeps.conftest import SERIAL


@pytest.fixture
def folder(shared_folder: Path, tmp_path: Path) -> Path:
    """A copy of an undisturbed sweep of 24 cells."""
    original = commands.sweep_folder(shared_folder / "undisturbed")
    return Path(shutil.copytree(original, tmp_path / "sweeps" / original.name))


def verify(capfd: pytest.CaptureFixture[str], *words: object) -> tuple[int, list[str]]:
    capfd.readouterr()
    code = main(["verify", *map(str, words)])
    return code, capfd.readouterr().out.splitlines()


def snapshot(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_undisturbed_sweep(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = snapshot(folder)
    assert verify(capfd, folder) == (0, ["24 cells checked, 0 recomputed, 0 findings"])
    sweep_id, output = folder.name.split("-")[1], f"output={folder.parent.parent}"
    for words in ([sweep_id], [f"sweep={sweep_id}"], ["study=custom"], ["custom"], [folder.name]):
        assert verify(capfd, *words, output, "recompute=0.05")[1] == [
            "24 cells checked, 2 recomputed, 0 findings"
        ]
    assert verify(capfd, folder, "recompute=1") == (0, ["24 cells checked, 24 recomputed, 0 findings"])
    assert snapshot(folder) == before, "reading changes nothing"


def journal_path(folder: Path) -> Path:
    return folder / "journal.jsonl"


def first_entry(folder: Path) -> Entry:
    return next(iter(Journal(folder).entries.values()))


def flip(path: Path, position: int) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)


def flipped_line(folder: Path) -> None:
    flip(journal_path(folder), 700)


def torn_line(folder: Path) -> None:
    os.truncate(journal_path(folder), journal_path(folder).stat().st_size - 10)


def cut_line(folder: Path) -> None:
    lines = journal_path(folder).read_bytes().splitlines(keepends=True)
    journal_path(folder).write_bytes(b"".join(lines[:-1]))


def replace_first(folder: Path, **changes: object) -> None:
    """Change the first line, with a checksum that is right."""
    lines = journal_path(folder).read_bytes().splitlines(keepends=True)
    entry = dataclasses.replace(Entry.from_line(lines[0][:-1]), **changes)  # type: ignore[arg-type]
    journal_path(folder).write_bytes(entry.to_line() + b"\n" + b"".join(lines[1:]))


def unknown_state(folder: Path) -> None:
    replace_first(folder, state="paused")


def changed_metric(folder: Path) -> None:
    metrics = dict(first_entry(folder).metrics)
    replace_first(folder, metrics=metrics | {"value_suboptimality": metrics["value_suboptimality"] + 1e-15})


def changed_rung(folder: Path) -> None:
    replace_first(folder, rungs=({**first_entry(folder).rungs[0], "samples": 7.0},))


def segment(folder: Path) -> Path:
    return max((folder / "records").iterdir())


def flipped_segment(folder: Path) -> None:
    flip(segment(folder), 500)


def flipped_actions(folder: Path) -> None:
    flip(max((folder / "actions").iterdir()), 500)


def missing_segment(folder: Path) -> None:
    segment(folder).unlink()


def doubled_segment(folder: Path) -> None:
    shutil.copy(segment(folder), folder / "records" / f"000000001{segment(folder).name[9:]}")


def stray_file(folder: Path) -> None:
    (folder / "records" / "notes.parquet").write_bytes(b"PAR1")


def stray_cell(folder: Path) -> None:
    entry = dataclasses.replace(first_entry(folder), cell_id="f" * 16)
    journal = Journal(folder)
    journal.lines.append = lambda lines: None  # type: ignore[method-assign]
    journal.commit([(entry, pd.DataFrame({"replicate": [0]}), None)])


def rewrite(folder: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    """Commit other records of the first cell, with all numbers that follow from them."""
    journal = Journal(folder)
    entry = first_entry(folder)
    records = change(journal.read_records(entry.cell_id))
    metrics, rungs = summarise(records, entry.config["budget"]["delta"])
    changed = dataclasses.replace(entry, metrics={**entry.metrics, **metrics}, rungs=tuple(rungs))
    kept = [
        (changed if one.cell_id == entry.cell_id else one, records_of, journal.read_actions(one.cell_id))
        for one in journal.entries.values()
        for records_of in [records if one.cell_id == entry.cell_id else journal.read_records(one.cell_id)]
    ]
    shutil.rmtree(folder / "records")
    shutil.rmtree(folder / "actions")
    journal_path(folder).unlink()
    for name in ("results.csv", "results.parquet", "actions.parquet", "summary.json"):
        (folder / name).unlink()
    Journal(folder).commit(kept)


def fewer_records(folder: Path) -> None:
    rewrite(folder, lambda records: records.iloc[1:])


def doubled_records(folder: Path) -> None:
    rewrite(folder, lambda records: pd.concat([records.iloc[1:], records.iloc[1:2]], ignore_index=True))


def invented_records(folder: Path) -> None:
    rewrite(folder, lambda records: records.assign(estimated_value=records["estimated_value"] + 1e-12))


def changed_csv(folder: Path) -> None:
    path = folder / "results.csv"
    path.write_text(path.read_text().replace("bandit/random", "bandit/Random", 1))


def shorter_csv(folder: Path) -> None:
    path = folder / "results.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


def changed_parquet(folder: Path) -> None:
    path = folder / "results.parquet"
    frame = pd.read_parquet(path)
    frame.assign(failure_probability=frame["failure_probability"] + 1e-16 + 1).to_parquet(path, index=False)


def missing_parquet(folder: Path) -> None:
    (folder / "results.parquet").unlink()


def changed_summary(folder: Path) -> None:
    saved = json.loads((folder / "summary.json").read_text())
    (folder / "summary.json").write_text(json.dumps(saved | {"finished": 25}))


FAULTS: dict[Callable[[Path], None], str] = {
    flipped_line: "journal.jsonl: 1 damaged line, so such cells are not finished",
    torn_line: "journal.jsonl: the last line is torn",
    cut_line: ": has a table below records/ and actions/, but no line in journal.jsonl",
    unknown_state: "state 'paused' is unknown",
    changed_metric: "value_suboptimality is ",
    changed_rung: "rung 0 does not follow from its records",
    flipped_segment: ": damaged",
    flipped_actions: "actions.parquet: cannot be compared with the tables of its cells",
    missing_segment: "finished, but its tables are damaged or missing",
    doubled_segment: "2 copies of its table below records/",
    stray_file: "records/notes.parquet: no file of this sweep",
    stray_cell: "cell ffffffffffffffff: has a table below records/, but no line in journal.jsonl",
    fewer_records: "9 records instead of 10",
    doubled_records: "several records of one replicate and rung",
    changed_csv: "results.csv: other numbers than the journal",
    shorter_csv: "results.csv: lacks 1 cell that the journal has",
    changed_parquet: "results.parquet: other numbers than the journal",
    missing_parquet: "results.parquet: missing",
    changed_summary: "summary.json: says 25 cells finished, the journal says 24",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_planted_faults_are_found(
    fault: Callable[[Path], None], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fault(folder)
    code, lines = verify(capfd, folder)
    assert code == 1
    assert any(FAULTS[fault] in line for line in lines), lines
    found = sum(not line.startswith("  ") for line in lines[:-1])
    assert lines[-1].endswith(f"0 recomputed, {plural(found, 'finding')}")


@pytest.mark.parametrize("fault", [flipped_segment, flipped_actions], ids=lambda fault: fault.__name__)
def test_a_damaged_table_does_not_end_the_check_of_the_others(
    fault: Callable[[Path], None], folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fault(folder)
    code, lines = verify(capfd, folder, "recompute=1")
    assert code == 1
    assert any("no undamaged table of cell" in line for line in lines)
    assert lines[-1].startswith("24 cells checked, 24 recomputed, ")


def test_consequences_stand_below_their_cause(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One flipped bit is one finding, with the command that repairs it."""
    flipped_line(folder)
    _, lines = verify(capfd, folder)
    assert lines[0] == "journal.jsonl: 1 damaged line, so such cells are not finished"
    assert all(line.startswith("  so ") for line in lines[1:-2])
    command = json.loads((folder / "summary.json").read_text())["command"]
    assert lines[-2] == f"  to repair it, run again: {command}"
    assert any("results.csv: has 1 cell that the journal lacks" in line for line in lines)
    assert lines[-1] == "23 cells checked, 0 recomputed, 1 finding"


def test_records_that_nobody_computed(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """All is consistent; only computing again tells. With another numpy the same is within the tolerance."""
    invented_records(folder)
    assert verify(capfd, folder)[0] == 0
    code, lines = verify(capfd, folder, "recompute=1")
    assert code == 1
    assert lines[0].endswith("computed again, its records differ: columns estimated_value")
    assert lines[1:] == ["24 cells checked, 24 recomputed, 1 finding"]
    machines = json.loads((folder / "provenance.json").read_text())
    (folder / "provenance.json").write_text(json.dumps([machines[0] | {"numpy": "1.0"}]))
    code, lines = verify(capfd, folder, "recompute=1")
    assert code == 0
    assert lines[0].startswith("computed with numpy 1.0 (here ")
    assert "compared up to 1e-09, not bit by bit" in lines[0]


def test_a_configuration_that_is_not_the_cells(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    replace_first(folder, config={**first_entry(folder).config, "seed": 12345})
    code, lines = verify(capfd, folder, "recompute=1")
    assert code == 1
    assert any("this version calls its configuration" in line for line in lines)
    assert lines[0].startswith("results.csv: other numbers")  # a configuration is part of its rows
    replace_first(folder, config={**first_entry(folder).config, "game": {"name": "bandit/none"}})
    _, lines = verify(capfd, folder, "recompute=1")
    assert any("cannot be computed again (unknown game" in line for line in lines)


def test_the_cells_to_compute_again_are_always_the_same() -> None:
    cells = [f"{number:016x}" for number in range(1000)]
    some = chosen(cells, "sweep", 0.01)
    assert len(some) == 10
    assert chosen(cells[::-1], "sweep", 0.01) == some
    assert chosen(cells, "sweep", 0.02)[:10] == some
    assert chosen(cells, "another", 0.01) != some
    assert len(chosen(cells, "sweep", 1e-9)) == 1
    assert chosen(cells, "sweep", 0.0) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "error: verify takes one folder, study or sweep id"),
        (["nothing"], "error: no results of sweep 'nothing' in"),
        (["study=nothing"], "error: no results of study 'nothing' in"),
        (["custom", "recompute=2"], "error: recompute: found 2.0, allowed: a finite number in [0, 1]"),
        (["custom", "recompute=some"], "error: recompute: found 'some', allowed: a number from 0 to 1"),
        (["custom", "seed=1"], "error: unknown key seed"),
    ],
)
def test_mistakes(words: list[str], message: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()
    assert main(["verify", *words, f"output={folder.parent.parent}"]) == 2
    assert capfd.readouterr().err.startswith(message)


def test_a_sweep_that_is_running_cannot_be_verified(faults: Path, tmp_path: Path) -> None:
    output = tmp_path / "output"
    (faults / "hang").touch()
    arguments = ["sweep", *SERIAL, "tracking=off", f"output={output}"]
    with commands.running(commands.forked(arguments, tmp_path, faults)) as driver:
        driver.wait_for_lines(output, 2)
        ended = commands.run(["verify", str(commands.sweep_folder(output))], tmp_path)
        assert ended.code == 2
        assert f"process {driver.pid} on " in ended.errors
        driver.send(signal.SIGKILL)
        driver.wait()
    ended = commands.run(["verify", str(commands.sweep_folder(output))], tmp_path)
    assert ended.code == 0, "unfinished, but nothing is wrong with it"
