"""Runs in a real MLflow database: one per cell, whatever is repeated, interrupted or lost on the way."""

from __future__ import annotations

import dataclasses
import shutil
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from stackel_bench.results.journal import Journal
from stackel_bench.tracking.mirror import Mirror, sync
from tests.results.made_up import actions, commit, entry, records
from tests.sweep import commands
from tests.sweep.conftest import shared_folder  # noqa: F401

TAGS = {"stackel.sweep_id": "s", "stackel.version": "0"}


@pytest.fixture
def store(shared_folder: Path, tmp_path: Path) -> Iterator[Any]:  # noqa: F811
    shutil.copy(shared_folder / "template" / "mlflow.db", tmp_path / "mlflow.db")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MLflow's own
        from stackel_bench.tracking.mlflow_store import MlflowStore

        yield MlflowStore(f"sqlite:///{tmp_path / 'mlflow.db'}", "study", tmp_path / "artifacts")


def states(tmp_path: Path) -> dict[str, list[str]]:
    return commands.runs(tmp_path / "mlflow.db")


def test_logging_twice_changes_nothing(store: Any, tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    (kept,) = commit(journal, 1)
    tables = journal.records_bytes(kept.cell_id), journal.actions_bytes(kept.cell_id)
    for _ in range(3):
        store.log_cell(kept, TAGS, *tables)
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
    store.log_cell(one, TAGS, journal.records_bytes(two.cell_id))  # another cell's records
    store.log_cell(two, TAGS, journal.records_bytes(two.cell_id))  # without its table of actions
    store.log_cell(three, TAGS, journal.records_bytes(three.cell_id)[:-9])
    assert [store.fetch_cell(cell.cell_id) for cell in (one, two, three)] == [None] * 3


def test_failed_run_becomes_finished(store: Any, tmp_path: Path) -> None:
    failed = dataclasses.replace(entry(1, "failed"), error="oh", traceback="where")
    store.log_cell(failed, TAGS, None)
    assert states(tmp_path) == {entry(1).cell_id: ["FAILED"]}
    assert store.fetch_cell(entry(1).cell_id) is None
    store.log_cell(entry(1), TAGS, b"records")
    store.log_cell(failed, TAGS, None)
    assert states(tmp_path) == {entry(1).cell_id: ["FINISHED"]}


def test_lost_answer_makes_no_second_run(store: Any, tmp_path: Path) -> None:
    """The run is created, but the network goes away before anybody hears of it."""
    create_run = store._client.create_run

    def create_and_lose(*arguments: Any) -> None:
        create_run(*arguments)
        raise ConnectionError("connection reset")

    store._client.create_run = create_and_lose
    with pytest.raises(ConnectionError):
        store.log_cell(entry(1), TAGS, b"records")
    store._client.create_run = create_run
    store.log_cell(entry(1), TAGS, b"records")
    assert states(tmp_path) == {entry(1).cell_id: ["FINISHED"]}


def test_mirror_outlasts_a_store_that_fails_for_a_while(store: Any, tmp_path: Path) -> None:
    """The database file is away while ten cells finish, then it is back: all get logged, none is refused."""
    journal = Journal(tmp_path / "sweep")
    (tmp_path / "sweep").mkdir()
    set_terminated, away = store._client.set_terminated, threading.Event()
    away.set()

    def maybe(*arguments: Any) -> None:
        if away.is_set():
            raise ConnectionError("no route to host")
        set_terminated(*arguments)

    store._client.set_terminated = maybe
    mirror = Mirror(store, journal, TAGS)
    for number in range(10):
        commit(journal, number)
        mirror.add(entry(number))
    time.sleep(0.7)
    away.clear()
    assert mirror.close(60) == {}
    assert states(tmp_path) == {entry(number).cell_id: ["FINISHED"] for number in range(10)}
    assert Mirror(store, journal, TAGS).unmirrored() == []


def test_store_that_never_answers_is_given_up(store: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep").mkdir()
    journal = Journal(tmp_path / "sweep")

    def refuse(*arguments: Any) -> None:
        raise ConnectionError("no route to host")

    store._client.create_run = refuse
    mirror = Mirror(store, journal, TAGS)
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


def test_sync_believes_the_store_and_not_the_ledger(store: Any, tmp_path: Path) -> None:
    (tmp_path / "sweep").mkdir()
    journal = Journal(tmp_path / "sweep")
    for number in range(3):
        commit(journal, number)
    assert sync(store, journal, TAGS, 5) == (3, {})
    assert sync(store, journal, TAGS, 5) == (0, {})
    (run_id,) = [store._runs[entry(1).cell_id].run_id]
    store._client.delete_run(run_id)
    store._runs.clear()
    assert sync(store, journal, TAGS, 5) == (1, {})
    assert states(tmp_path) == {entry(number).cell_id: ["FINISHED"] for number in range(3)}
