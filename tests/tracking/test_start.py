"""Stores that are slow, absent or half made: given up in the end, refused where they cannot be, made once."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stackel_bench.config.settings import TrackingSettings
from stackel_bench.errors import InputError
from stackel_bench.tracking import start
from stackel_bench.tracking.start import (
    database_uri,
    ensure_database,
    in_background,
    require_usable,
    wait_for,
)
from stackel_bench.verbs import report


@pytest.fixture
def dripping() -> Iterator[str]:
    """The address of a server that sends a byte of its headers every now and then, for ever."""
    over = threading.Event()

    def drip(connection: socket.socket) -> None:
        with connection:
            try:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                while not over.wait(0.1):
                    connection.sendall(b"x")
            except OSError:
                pass

    def serve() -> None:
        while not over.is_set():
            try:
                threading.Thread(target=drip, args=(listener.accept()[0],), daemon=True).start()
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        over.set()


def test_dripping_server_is_given_up(dripping: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "CONNECT_SECONDS", 1.0)
    settings = TrackingSettings(kind="server", uri=dripping)
    with pytest.raises(InputError, match=r"tracking\.uri: .*no answer within 1 seconds"):
        start.require_answer(settings, tmp_path)


def test_waiting_is_told_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "_TELL_SECONDS", 0.01)
    told: list[float] = []
    with pytest.raises(TimeoutError, match="no answer within"):
        wait_for(Future(), 0.1, told.append)
    assert told == sorted(told) != []


def test_results_and_errors_come_through() -> None:
    assert wait_for(in_background(lambda: time.sleep(0.01) or 7), 60) == 7
    with pytest.raises(TimeoutError, match="of the call itself"):
        wait_for(in_background(_fail), 60)


def _fail() -> None:
    raise TimeoutError("of the call itself")


def test_a_report_does_not_wait_for_a_store_for_ever(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is on disk by then: that MLflow did not take it is told."""
    over = threading.Event()
    monkeypatch.setattr(report, "open_store", lambda *_: over.wait(60))
    results: Any = SimpleNamespace(
        folder=tmp_path / "sweeps" / "s", sweep_id="s", version="", commit="", study="s"
    )
    settings = TrackingSettings(kind="server", uri="http://127.0.0.1:1", open_seconds=0.05)
    assert report._log(results, settings) == "TimeoutError: no answer within 0.05 seconds"
    over.set()


def written(path: Path) -> Path:
    """What a creator does to its file."""
    path.write_text("whole")
    return path


def test_a_creator_that_dies_leaves_nothing_behind(tmp_path: Path) -> None:
    def die(path: Path) -> None:
        written(path).write_text("ha")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ensure_database(tmp_path, die)
    assert not (tmp_path / "mlflow.db").exists()
    (tmp_path / ".mlflow.db.killed").mkdir()
    ensure_database(tmp_path, lambda path: written(path) and None)
    assert (tmp_path / "mlflow.db").read_text() == "whole"
    assert not (tmp_path / ".mlflow.db.killed").exists()


def test_drivers_that_start_together_make_one(tmp_path: Path) -> None:
    made: list[Path] = []

    def create(path: Path) -> None:
        made.append(path)
        time.sleep(0.1)
        written(path)

    threads = [threading.Thread(target=ensure_database, args=(tmp_path / "new", create)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert database_uri(tmp_path / "new").endswith("/new/mlflow.db")
    assert {path.name for path in (tmp_path / "new").iterdir()} == {"mlflow.db", ".mlflow.db.lock"}


@pytest.mark.parametrize("name", ["what?", "a%20b", "c#"])
def test_paths_that_mean_something_else_in_an_address_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="a path without"):
        require_usable(tmp_path / name)
    require_usable(tmp_path / "with space and ü")


def test_what_cannot_be_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mlflow.db").mkdir()
    with pytest.raises(InputError, match="a database that can be read and written"):
        require_usable(tmp_path)
    if os.geteuid():  # root may read everything
        (tmp_path / "mlflow.db").rmdir()
        (tmp_path / "mlflow.db").touch(mode=0)
        with pytest.raises(InputError, match="a database that can be read and written"):
            require_usable(tmp_path)
