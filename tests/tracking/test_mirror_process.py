"""The mirror in a process of its own: it reads what the driver has committed, and dies without harm."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stackel_bench.config.settings import TrackingSettings
from stackel_bench.results.journal import Journal
from stackel_bench.tracking.mirror_process import MirrorProcess, Place, RemoteStore
from stackel_bench.tracking.run_record import StoreError, problem_of
from tests.results.made_up import commit, entry

TAGS = {"stackel.sweep_id": "s", "stackel.version": "0"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sweep").mkdir()
    return tmp_path


def place(folder: Path) -> Place:
    return Place(TrackingSettings(kind="local"), folder, "study", folder / "sweep", TAGS)


@contextlib.contextmanager
def mirroring(folder: Path, *missing: int) -> Iterator[MirrorProcess]:
    found = MirrorProcess(place(folder), [entry(number).cell_id for number in missing])
    try:
        yield found
    finally:
        found.end()


def states(folder: Path) -> list[tuple[str, str]]:
    """Names and states of all runs."""
    with sqlite3.connect(folder / "mlflow.db") as db:
        return sorted(db.execute("SELECT name, status FROM runs"))


def test_what_is_committed_before_and_afterwards_is_logged_once(folder: Path) -> None:
    journal = Journal(folder / "sweep")
    commit(journal, 1)
    with mirroring(folder, 2) as process:
        experiment_id, complete = process.opening.result(60)
        assert not complete
        for number in (2, 3, 4):  # each in a file of tables that the process has not seen
            commit(journal, number)
            process.add([entry(number).cell_id])
        assert process.close(30, lambda left: None) == {}
        assert states(folder) == [(entry(number).label, "FINISHED") for number in (1, 2, 3, 4)]
        store: Any = RemoteStore(process, experiment_id)
        store.find_runs()
        fetched, records, _ = store.fetch_cell(entry(3).cell_id)
    assert fetched == journal.entries[entry(3).cell_id]
    assert records.equals(journal.read_records(entry(3).cell_id))


def test_the_store_tells_what_it_has(folder: Path) -> None:
    commit(Journal(folder / "sweep"), 1)
    with mirroring(folder) as process:
        process.opening.result(60)
        assert process.close(30, lambda left: None) == {}
    with mirroring(folder, 1, 2) as process:
        assert process.opening.result(60)[1] == {entry(1).cell_id}
    assert states(folder) == [(entry(1).label, "FINISHED")]


def test_errors_come_back_in_one_line(folder: Path) -> None:
    (folder / "mlflow.db").write_bytes(b"no database")
    with mirroring(folder) as process, pytest.raises(StoreError) as raised:
        process.opening.result(60)
    assert "not a database" in problem_of(raised.value)
    assert not problem_of(raised.value).startswith("StoreError")


def test_a_process_that_dies_leaves_its_cells_for_later(folder: Path) -> None:
    journal = Journal(folder / "sweep")
    with mirroring(folder) as process:
        experiment_id, _ = process.opening.result(60)
        os.kill(process.pid, signal.SIGKILL)
        commit(journal, 1)
        process.add([entry(1).cell_id])
        assert set(process.close(30, lambda left: None)) == {entry(1).cell_id}
        store: Any = RemoteStore(process, experiment_id)
        with pytest.raises(StoreError, match="has ended"):
            store.find_runs()


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_it_ends_with_its_driver(folder: Path) -> None:
    """A driver that is killed closes its end of the connection, and that is all the process hears of it."""
    read, write = os.pipe()
    driver = os.fork()
    if not driver:
        process = MirrorProcess(place(folder), [])
        process.opening.result(60)
        os.write(write, str(process.pid).encode())
        os.kill(os.getpid(), signal.SIGKILL)
    pid = int(os.read(read, 20))
    os.waitpid(driver, 0)
    wait_until(lambda: not Path(f"/proc/{pid}").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text())


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="only Linux shares by sessions")
def test_it_steps_back_once_the_driver_need_not_wait(folder: Path) -> None:
    """Its session does: inside a session of its own a low priority alone gives nothing away."""
    with mirroring(folder) as process:
        process.opening.result(60)
        assert Path(f"/proc/{process.pid}/autogroup").read_text().split()[-1] == "10"
