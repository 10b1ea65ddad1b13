"""The empty database that is kept: a copy of it is what MLflow's migrations make, whatever became of it."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from stackel_bench.tracking import mlflow_database
from stackel_bench.tracking.mlflow_database import create_database, kept_database
from stackel_bench.tracking.mlflow_store import MlflowStore


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test keeps its empty database, which is not there yet."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    return kept_database()


@pytest.fixture
def migrations(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The databases that were migrated, by something faster than MLflow."""
    migrated: list[Path] = []

    def migrate(path: Path) -> None:
        migrated.append(path)
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(
                "CREATE TABLE alembic_version (version_num); INSERT INTO alembic_version VALUES ('a');"
                "CREATE TABLE experiments (name); INSERT INTO experiments VALUES ('Default')"
            )

    monkeypatch.setattr(mlflow_database, "_migrate", migrate)
    return migrated


def content(path: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(path)) as db:
        return list(db.iterdump())


@pytest.mark.filterwarnings("ignore")  # MLflow's own
def test_a_copy_is_what_migrations_make(tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "first" / "mlflow.db", tmp_path / "second" / "mlflow.db"
    for path in (first, second):
        path.parent.mkdir()
        monkeypatch.chdir(path.parent)
        create_database(path)
        monkeypatch.setattr(mlflow_database, "_migrate", None)  # the second one cannot be migrated
    assert kept.exists()
    assert content(second) == [line for line in content(first) if "'Default'" not in line]
    store = MlflowStore(f"sqlite:///{second}", "study", tmp_path / "artifacts")
    assert store.experiment_id == "1"
    with contextlib.closing(sqlite3.connect(second)) as db:
        found = db.execute("SELECT experiment_id, name, artifact_location FROM experiments").fetchall()
    assert found == [
        (0, "Default", str(second.parent / "mlruns" / "0")),
        (1, "study", (tmp_path / "artifacts" / "study").as_uri()),
    ]


@pytest.mark.parametrize("damage", [b"", b"no database", None])
def test_what_is_damaged_is_made_again(
    tmp_path: Path, kept: Path, migrations: list[Path], damage: bytes | None
) -> None:
    create_database(tmp_path / "a")
    kept.write_bytes(kept.read_bytes()[:5000] if damage is None else damage)
    create_database(tmp_path / "b")
    create_database(tmp_path / "c")
    assert migrations == [tmp_path / "a", tmp_path / "b"]
    assert content(tmp_path / "b") == content(tmp_path / "a")
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


def test_where_nothing_can_be_kept_every_database_is_migrated(
    tmp_path: Path, kept: Path, migrations: list[Path]
) -> None:
    kept.parent.touch()  # a file, so no folder
    for name in "ab":
        create_database(tmp_path / name)
    assert migrations == [tmp_path / "a", tmp_path / "b"]
