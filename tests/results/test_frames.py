"""Tables of leader actions, and what is written about the machine: where it belongs and nowhere else."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import pandas as pd
import pytest

from stackel_bench.notebook.results import load_results
from stackel_bench.results.frames import cells_frame, write_actions
from stackel_bench.results.journal import Journal
from stackel_bench.results.provenance import machine, record_machine, recorded_machines
from tests.reporting.fixture_sweeps import make_entry, make_records, real_sweep, troubled_sweep, write_cell
from tests.results.made_up import actions, commit, entry


def test_one_file_of_actions_in_the_order_asked_for(tmp_path: Path) -> None:
    """Whatever order the cells were committed in, and whatever was merged meanwhile: the same bytes."""
    written = []
    for order in (range(40), reversed(range(40))):
        folder = tmp_path / str(len(written))
        folder.mkdir()
        journal = Journal(folder)
        for number in order:
            commit(journal, number)
        write_actions(journal, [entry(number).cell_id for number in range(40)])
        written.append((folder / "actions.parquet").read_bytes())
    assert written[0] == written[1]
    found = pd.read_parquet(io.BytesIO(written[0]))
    expected = pd.concat(
        [frame.assign(cell_id=entry(n).cell_id) for n in range(40) if (frame := actions(n)) is not None]
    )
    pd.testing.assert_frame_equal(found, expected[["cell_id", "action", "pulls"]].reset_index(drop=True))
    assert "leader_action" not in found


def test_no_actions_no_file(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    commit(journal, 0, 3)
    write_actions(journal, [entry(0).cell_id, entry(3).cell_id])
    assert not (tmp_path / "actions").exists()
    assert not (tmp_path / "actions.parquet").exists()


def test_actions_in_python(tmp_path: Path) -> None:
    results = troubled_sweep(tmp_path)
    assert load_results(results.folder).actions.empty
    one = make_entry("ffff", epsilon=0.3)
    table = pd.DataFrame({"action": [0, 1], "pulls": [5, 7]})
    one = dataclasses.replace(one, metrics={**one.metrics, "failure_probability": 0.0, "vacuous": 0.0})
    results.journal.commit([(one, make_records((0, 0, 0), 60), table)])
    found = load_results(results.folder).actions
    assert found[["cell_id", "action", "pulls"]].to_dict("list") == {
        "cell_id": ["ffff", "ffff"],
        "action": [0, 1],
        "pulls": [5, 7],
    }
    assert found["epsilon"].tolist() == [0.3, 0.3]


def test_damaged_folders_are_told_in_python(tmp_path: Path) -> None:
    results = troubled_sweep(tmp_path)
    with (results.folder / "journal.jsonl").open("ab") as file:
        file.write(b"rubbish\n")
    with pytest.warns(UserWarning, match="1 damaged line in"):
        assert len(load_results(results.folder)) == 4


def test_the_machine_is_recorded_once_and_kept(tmp_path: Path) -> None:
    assert recorded_machines(tmp_path) == []
    record_machine(tmp_path)
    record_machine(tmp_path)
    assert recorded_machines(tmp_path) == [machine()]
    assert {"processor", "platform", "python", "numpy", "numba", "scipy", "blas"} <= machine().keys()
    assert all(isinstance(value, str) for value in machine().values())
    older = machine() | {"numpy": "1.0"}
    (tmp_path / "provenance.json").write_text(json.dumps([older]))
    record_machine(tmp_path)
    assert recorded_machines(tmp_path) == [older, machine()]
    (tmp_path / "provenance.json").write_text("{")
    assert recorded_machines(tmp_path) == []


def test_results_hold_no_machine_and_no_time() -> None:
    (folder,) = (real_sweep() / "sweeps").iterdir()
    assert json.loads((folder / "summary.json").read_text())["provenance"] == [machine()]
    for columns in (pd.read_csv(folder / "results.csv").columns, pd.read_parquet(folder / "records").columns):
        assert not [name for name in columns if "second" in name or name in machine()]
    kept = [path for path in folder.rglob("*.parquet") if "leader_action" in pd.read_parquet(path).columns]
    assert kept
    assert {path.parent.name for path in kept} == {"records"}


def test_one_budget_has_the_same_columns_as_a_ladder(tmp_path: Path) -> None:
    """What applies to ladders, or to learners that stop by themselves, is an empty column elsewhere."""
    columns = {}
    for failures in ((0,), (9, 0)):
        folder = tmp_path / str(len(failures))
        folder.mkdir()
        records = make_records(failures, 60, samples=[100, 400][: len(failures)])
        write_cell(Journal(folder), make_entry("aaaa"), records)
        columns[len(failures)] = cells_frame(Journal(folder).entries.values())
    assert list(columns[1]) == list(columns[2])
    conditional = ["at_most", "samples_needed_low", "samples_needed_high", "samples_median", "samples_q90"]
    assert columns[1][conditional].isna().all(axis=None)
    assert columns[2]["at_most"].tolist() == [0.0]
