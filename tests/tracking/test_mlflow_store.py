"""Runs in a real MLflow database: one per cell, whatever is repeated, interrupted or lost on the way."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import shutil
import sqlite3
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stackel_bench.results.journal import Journal
from stackel_bench.tracking.cell_run import cell_run
from stackel_bench.tracking.mirror import Mirror, sync
from stackel_bench.tracking.mlflow_tables import knows_schema
from stackel_bench.tracking.run_record import Point, RunRecord
from stackel_bench.trials.programs import RunSoFar
from tests.results.made_up import actions, commit, entry, records
from tests.sweeps import commands
from tests.sweeps.conftest import shared_folder  # noqa: F401

TAGS = {"stackel.sweep_id": "s", "stackel.version": "0"}


@pytest.fixture
def open_store(shared_folder: Path, tmp_path: Path) -> Iterator[Any]:  # noqa: F811
    """Opens the store of a folder, by MLflow's tables or by its client; each call is another driver's."""

    def opened(by_tables: bool, folder: Path = tmp_path) -> Any:
        from stackel_bench.tracking.mlflow_store import MlflowStore

        if not (folder / "mlflow.db").exists():
            shutil.copy(shared_folder / "template" / "mlflow.db", folder / "mlflow.db")
        return MlflowStore(f"sqlite:///{folder / 'mlflow.db'}", "study", folder / "artifacts", by_tables)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MLflow's own
        yield opened


@pytest.fixture(params=["tables", "client"])
def store(request: pytest.FixtureRequest, open_store: Any) -> Any:
    return open_store(request.param == "tables")


@pytest.fixture
def client_store(open_store: Any) -> Any:
    return open_store(by_tables=False)


def states(tmp_path: Path) -> dict[str, list[str]]:
    return commands.runs(tmp_path / "mlflow.db")


def test_logging_twice_changes_nothing(store: Any, tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    (kept,) = commit(journal, 1)
    tables = journal.records_bytes(kept.cell_id), journal.actions_bytes(kept.cell_id)
    for _ in range(3):
        assert store.write([cell_run(kept, TAGS, *tables)]) == {}
    assert states(tmp_path) == {kept.cell_id: ["FINISHED"]}
    assert store.find_runs() == {kept.cell_id: True}
    fetched = store.fetch_cell(kept.cell_id)
    assert fetched[0] == kept
    pd.testing.assert_frame_equal(fetched[1], records(1), check_exact=True)
    pd.testing.assert_frame_equal(fetched[2], actions(1), check_exact=True)
    (tmp_path / "elsewhere").mkdir()
    assert Journal(tmp_path / "elsewhere").commit([fetched]) == [kept]


def test_damaged_artifacts_are_not_fetched(store: Any, tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    (one, two, three) = commit(journal, 0, 2, 3)
    assert (
        store.write([cell_run(one, TAGS, journal.records_bytes(two.cell_id))]) == {}
    )  # another cell's records
    assert (
        store.write([cell_run(two, TAGS, journal.records_bytes(two.cell_id))]) == {}
    )  # without its table of actions
    assert store.write([cell_run(three, TAGS, journal.records_bytes(three.cell_id)[:-9])]) == {}
    assert [store.fetch_cell(cell.cell_id) for cell in (one, two, three)] == [None] * 3


def test_failed_run_becomes_finished(store: Any, tmp_path: Path) -> None:
    failed = dataclasses.replace(entry(1, "failed"), error="oh", traceback="where")
    assert store.write([cell_run(failed, TAGS, None)]) == {}
    assert states(tmp_path) == {entry(1).cell_id: ["FAILED"]}
    assert store.fetch_cell(entry(1).cell_id) is None
    assert store.write([cell_run(entry(1), TAGS, b"records")]) == {}
    assert store.write([cell_run(failed, TAGS, None)]) == {}
    assert states(tmp_path) == {entry(1).cell_id: ["FINISHED"]}


def test_lost_answer_makes_no_second_run(client_store: Any, tmp_path: Path) -> None:
    """The run is created, but the network goes away before anybody hears of it."""
    create_run = client_store._client.create_run

    def create_and_lose(*arguments: Any) -> None:
        create_run(*arguments)
        raise ConnectionError("connection reset")

    record = cell_run(entry(1), TAGS, b"records")
    client_store._client.create_run = create_and_lose
    assert client_store.write([record]) == {record.key: "ConnectionError: connection reset"}
    client_store._client.create_run = create_run
    assert client_store.write([record]) == {}
    assert states(tmp_path) == {entry(1).cell_id: ["FINISHED"]}


def test_mirror_outlasts_a_store_that_fails_for_a_while(client_store: Any, tmp_path: Path) -> None:
    """The database file is away while ten cells finish, then it is back: all get logged, none is refused."""
    journal = Journal(tmp_path / "sweep")
    (tmp_path / "sweep").mkdir()
    set_terminated, away = client_store._client.set_terminated, threading.Event()
    away.set()

    def maybe(*arguments: Any) -> None:
        if away.is_set():
            raise ConnectionError("no route to host")
        set_terminated(*arguments)

    client_store._client.set_terminated = maybe
    mirror = Mirror(client_store, journal, TAGS)
    for number in range(10):
        commit(journal, number)
        mirror.add(entry(number))
    time.sleep(0.7)
    away.clear()
    assert mirror.close(60) == {}
    assert states(tmp_path) == {entry(number).cell_id: ["FINISHED"] for number in range(10)}
    assert Mirror(client_store, journal, TAGS).unmirrored() == []


def test_store_that_never_answers_is_given_up(client_store: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep").mkdir()
    journal = Journal(tmp_path / "sweep")

    def refuse(*arguments: Any) -> None:
        raise ConnectionError("no route to host")

    client_store._client.create_run = refuse
    mirror = Mirror(client_store, journal, TAGS)
    for number in range(50):
        commit(journal, number)
        mirror.add(entry(number))
    unsynced = mirror.close(0.2)
    assert len(unsynced) == 50
    assert "ConnectionError: no route to host" in unsynced.values()


def test_one_refused_entry_does_not_stop_the_others(store: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep").mkdir()
    journal = Journal(tmp_path / "sweep")
    mirror = Mirror(store, journal, TAGS)
    commit(journal, 0)
    read = journal.records_bytes
    journal.records_bytes = lambda cell_id: {}[cell_id] if cell_id == entry(0).cell_id else read(cell_id)
    for number in range(5):
        if number:
            commit(journal, number)
        mirror.add(entry(number))
    assert list(mirror.close(30)) == [entry(0).cell_id]
    assert set(states(tmp_path)) == {entry(number).cell_id for number in range(1, 5)}


def test_sync_believes_the_store_and_not_the_ledger(store: Any, open_store: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep").mkdir()
    journal = Journal(tmp_path / "sweep")
    for number in range(3):
        commit(journal, number)
    assert sync(store, journal, TAGS, 5) == (3, {})
    assert sync(store, journal, TAGS, 5) == (0, {})
    store._client.delete_run(store.run_ids([entry(1).cell_id])[entry(1).cell_id])
    store = open_store(by_tables=True)
    assert sync(store, journal, TAGS, 5) == (1, {})
    assert states(tmp_path) == {entry(number).cell_id: ["FINISHED"] for number in range(3)}


def test_a_damaged_table_makes_no_finished_run(store: Any, tmp_path: Path) -> None:
    """A file of records that can be read, but holds another number than the one that was written."""
    (tmp_path / "sweep").mkdir()
    journal = Journal(tmp_path / "sweep")
    commit(journal, 0)
    (path,) = (tmp_path / "sweep" / "records").glob("*.parquet")
    table = pq.read_table(path)
    place = table.column_names.index("value")
    other = pa.array([1.0 + number for number in table["value"].to_pylist()])
    pq.write_table(table.set_column(place, table.schema.field(place), other), path)
    commit(journal, 1)
    count, problems = sync(store, journal, TAGS, 5)
    assert (count, list(problems)) == (1, [entry(0).cell_id])
    assert "no undamaged table" in problems[entry(0).cell_id]
    assert states(tmp_path) == {entry(1).cell_id: ["FINISHED"]}


def so_far(samples: int) -> RunSoFar:
    return RunSoFar(1, 0, {1: samples}, {1: 8 / samples}, samples / 50, 100)


def metrics(folder: Path, name: str) -> list[tuple[int, float]]:
    """Steps and values of a metric of all runs."""
    query = "SELECT step, value FROM metrics WHERE key = ? ORDER BY step"
    with contextlib.closing(sqlite3.connect(folder / "mlflow.db")) as database:
        return database.execute(query, (name,)).fetchall()


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_program_shows_how_far_it_is_in_the_run_that_its_cell_will_have(
    open_store: Any, store: Any, tmp_path: Path
) -> None:
    """Running, stopped where the command ends, running again at the next one, and whole at last."""
    (tmp_path / "sweep").mkdir()
    journal, cell_id = Journal(tmp_path / "sweep"), entry(1).cell_id
    mirror = Mirror(store, journal, TAGS)
    for samples in (10, 20):
        mirror.grow(entry(1), so_far(samples))
    wait_for(lambda: len(metrics(tmp_path, "progress/seconds_left_a1")) == 2)
    assert states(tmp_path) == {cell_id: ["RUNNING"]}
    assert mirror.abandon() == {}
    assert states(tmp_path) == {cell_id: ["KILLED"]}
    mirror = Mirror(open_store(type(store._runs).__name__ == "TableRuns"), journal, TAGS)
    mirror.grow(entry(1), so_far(40))
    wait_for(lambda: states(tmp_path) == {cell_id: ["RUNNING"]})
    commit(journal, 1)
    mirror.add(entry(1))
    assert mirror.close(30) == {}
    assert states(tmp_path) == {cell_id: ["FINISHED"]}
    assert metrics(tmp_path, "progress/certificate_a1") == [(10, 0.8), (20, 0.4), (40, 0.2)]
    assert (0, entry(1).metrics["failure_probability"]) in metrics(tmp_path, "failure_probability")


def test_a_store_that_cannot_show_programs_gets_their_results(store: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep").mkdir()
    journal = Journal(tmp_path / "sweep")

    def refuse(*arguments: Any) -> None:
        raise ConnectionError("no route to host")

    store.growing.grow = refuse
    mirror = Mirror(store, journal, TAGS)
    mirror.grow(entry(1), so_far(10))
    commit(journal, 1)
    mirror.add(entry(1))
    assert mirror.close(30) == {}
    assert states(tmp_path) == {entry(1).cell_id: ["FINISHED"]}


def everything(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables, with the names of runs in the place of their ids, and all artifacts."""
    with contextlib.closing(sqlite3.connect(folder / "mlflow.db")) as database:
        names = dict(database.execute("SELECT run_uuid, name FROM runs"))
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        found = {
            table: sorted(
                map(repr, (_plain(row, names, folder) for row in database.execute(f"SELECT * FROM {table}")))
            )
            for table in tables
        }
    files = [path for path in (folder / "artifacts").rglob("*") if path.is_file()]
    found["files"] = sorted((_plain((str(path),), names, folder), path.read_bytes()) for path in files)
    return found


def _plain(row: tuple[Any, ...], names: dict[str, str], folder: Path) -> tuple[Any, ...]:
    def plain(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        for run_id, name in names.items():
            value = value.replace(run_id, f"<{name}>")
        return value.replace(str(folder), "<folder>")

    return tuple(plain(value) for value in row)


def awkward_runs() -> list[Any]:
    """Ladders, values that SQL has not, equal points, long texts, a failure, another kind of run."""
    points = [Point("m", float("nan")), Point("m", float("inf"), 2**40), Point("m", -math.inf, 3)]
    points += [
        Point("m", 0.5, 7),
        Point("m", 0.5, 7),
        Point("m", 0.25, 7),
        Point("n", 1e-320),
        Point("n", -0.0),
    ]
    points += [Point(f"of many {number}", float(number), number) for number in range(950)]
    texts = {"long": "é" * 7900, "empty": "", "line": "a\nb", "mlflow.note.content": "*hello*"}
    params = {f"p{number}": str(number) for number in range(130)} | {"text": "ü" * 7000}
    plain = RunRecord("cell", "a" * 16, "first · ε", texts, params, points, {"x.bin": b"\0"}, True, 5, 9)
    bare = RunRecord("cell", "b" * 16, "second", {}, {}, [Point("m", 1.0)], {"y": b"1"}, True, 1, 2)
    failed = dataclasses.replace(bare, key="c" * 16, name="third", finished=False, artifacts={"why": b"oh"})
    return [plain, bare, failed, dataclasses.replace(bare, kind="pair", name="a pair")]


def test_tables_and_client_write_the_same_rows(open_store: Any, tmp_path: Path) -> None:
    """Every row of every table, every file: what MLflow's client writes by some ten calls for each run."""
    written = {}
    for by_tables in (True, False):
        folder = tmp_path / str(by_tables)
        folder.mkdir()
        store = open_store(by_tables, folder)
        assert type(store._runs).__name__ == ("TableRuns" if by_tables else "ClientRuns")
        assert store.write(awkward_runs()) == {}
        found = everything(folder)
        assert found["files"]
        assert len(found["metrics"]) > 950
        assert len(found["runs"]) >= 4
        written[by_tables] = found
    for table in written[True].keys() - {"experiments"}:  # which know when they were made
        assert written[True][table] == written[False][table], table


def test_what_mlflow_refuses_is_refused_alone(store: Any, tmp_path: Path) -> None:
    good, *_ = awkward_runs()
    bad = dataclasses.replace(good, key="d" * 16, name="bad", points=[Point("no:such\tname?", 1.0)])
    assert list(store.write([bad, good])) == [bad.key]
    assert store.find_runs()[good.key]
    assert not store.find_runs().get(bad.key)


def test_unknown_schema_is_left_to_the_client(open_store: Any, tmp_path: Path) -> None:
    open_store(by_tables=True)
    with contextlib.closing(sqlite3.connect(tmp_path / "mlflow.db")) as database:
        assert knows_schema(tmp_path / "mlflow.db"), "MLflow's schema is new: compare the rows, then list it"
        database.execute("UPDATE alembic_version SET version_num = 'of tomorrow'")
        database.commit()
    assert not knows_schema(tmp_path / "mlflow.db")


@pytest.mark.parametrize("by_tables", [True, False])
def test_two_drivers_leave_one_run_of_each_cell(open_store: Any, tmp_path: Path, by_tables: bool) -> None:
    """Both looked before either wrote, then both write all cells, and one of them dies on the way."""
    journals, stores = [], []
    for name in ("one", "two", "dead"):
        (tmp_path / name).mkdir()
        journals.append(Journal(tmp_path / name))
        stores.append(open_store(by_tables))
        assert stores[-1].find_runs() == {}
    mirrors = [Mirror(store, journal, TAGS) for store, journal in zip(stores, journals, strict=True)]
    for number in range(4):
        for journal in journals:
            commit(journal, number)
    stores[2]._client.set_terminated = lambda *_: {}[0]  # the client's way: a run that stays unfinished
    mirrors[2].add(entry(1))
    assert bool(mirrors[2].close(0.1)) is not by_tables
    for mirror, journal in zip(mirrors[:2], journals[:2], strict=True):
        for cell in journal.entries.values():
            mirror.add(cell)
    for mirror in mirrors[:2]:
        assert mirror.close(30) == {}
    assert states(tmp_path) == {entry(number).cell_id: ["FINISHED"] for number in range(4)}


def test_of_runs_that_drivers_logged_twice_the_smallest_id_stays(open_store: Any, tmp_path: Path) -> None:
    stores = [open_store(by_tables=False) for _ in range(3)]
    records_ = [cell_run(entry(number), TAGS, b"records") for number in range(3)]
    for store in stores:
        assert store.write(records_) == {}
    ids = {key: [run.run_id for run in runs] for key, runs in stores[0]._runs.find("cell").items()}
    assert all(len(some) == 3 for some in ids.values())
    assert stores[1].settle("cell", {record.key for record in records_[:2]}) == 4
    left = {key: [run.run_id for run in runs] for key, runs in stores[0]._runs.find("cell").items()}
    assert left == {key: [min(some)] if key != records_[2].key else ids[key] for key, some in ids.items()}


def test_sync_restores_artifacts(store: Any, open_store: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep").mkdir()
    journal = Journal(tmp_path / "sweep")
    commit(journal, 0, 1, 2)
    assert sync(store, journal, TAGS, 5) == (3, {})
    before = everything(tmp_path)
    (emptied,) = (tmp_path / "artifacts").rglob(f"{store.run_ids([entry(0).cell_id])[entry(0).cell_id]}/*")
    shutil.rmtree(emptied)
    (table,) = (tmp_path / "artifacts").rglob(
        f"{store.run_ids([entry(1).cell_id])[entry(1).cell_id]}/artifacts/actions.parquet"
    )
    table.write_bytes(b"")
    again = open_store(by_tables=type(store._runs).__name__ == "TableRuns")
    assert sync(again, journal, TAGS, 5) == (2, {})
    assert everything(tmp_path) == before


def pair(name: str, value: float, sweep: str = "s") -> RunRecord:
    points = [Point("difference/loss", value, 10)]
    return RunRecord("pair", f"{sweep}-{name}{value}", f"PAIR {name}", {}, {}, points, {}, True, 1, 2)


def test_pairs_are_written_once_renewed_and_never_cells(store: Any, tmp_path: Path) -> None:
    def runs() -> dict[str, float]:
        found = store._client.search_runs([store.experiment_id], "tags.`stackel.kind` = 'pair'")
        return {run.info.run_name: run.data.metrics["difference/loss"] for run in found}

    store.replace("pair", "s-", [pair("a", 0.25), pair("b", 0.5)])
    before = {run.info.run_id for run in store._client.search_runs([store.experiment_id])}
    store.replace("pair", "s-", [pair("a", 0.25), pair("b", 0.5)])
    assert {run.info.run_id for run in store._client.search_runs([store.experiment_id])} == before
    store.replace("pair", "another-", [pair("c", 1.0, "another")])
    store.replace("pair", "s-", [pair("b", 0.75)])
    assert runs() == {"PAIR b": 0.75, "PAIR c": 1.0}, "those of other sweeps stay"
    assert store.find_runs() == {}
    assert states(tmp_path) == {}


def test_views_that_are_no_longer_wanted_go(store: Any) -> None:
    ours = "mlflow.sharedViewState.stackel-"
    own = {f"{ours}pairs": "{}", f"{ours}game-a": "{}", "mlflow.sharedViewState.mine": "{}"}
    store.describe(own, lambda key: key.startswith(ours))
    store.describe({f"{ours}pairs": "new"}, lambda key: key.startswith(ours))
    tags = store._client.get_experiment(store.experiment_id).tags
    assert {k: v for k, v in tags.items() if "sharedView" in k} == {
        f"{ours}pairs": "new",
        "mlflow.sharedViewState.mine": "{}",
    }
