"""The sqlite file: complete or absent, made once, refused where it cannot be."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from stackel_bench.errors import InputError
from stackel_bench.tracking.local_database import database_uri, ensure_database, require_usable


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
