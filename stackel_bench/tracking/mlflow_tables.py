"""Runs in an embedded sqlite store: many at once, in one transaction, by MLflow's own table classes.

What the public client writes by some ten transactions for each run is written here by one for hundreds of
runs; a test compares every row. The transaction takes the database's lock before it looks which runs are
there already, so two drivers never write one twice.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import shutil
import sqlite3
import sys
import urllib.parse
import urllib.request
import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from mlflow.store.tracking.dbmodels.models import SqlLatestMetric, SqlMetric, SqlParam, SqlRun, SqlTag
from mlflow.utils.validation import _validate_metric, _validate_param, _validate_tag
from sqlalchemy.dialects.sqlite import insert as upsert

from stackel_bench.tracking.run_record import KnownRun, RunRecord, best, key_tag, problem_of

SCHEMAS = ("dc11669786a5",)  # revisions of MLflow's schema for which the rows were compared
_LOCK_SECONDS = 60.0  # that another process may hold the database
_KEYS_ASKED = 500
_RUN_NAME = "mlflow.runName"
_LARGEST = sys.float_info.max

# MLflow gives them no types. Runs of one sweep have the same names, and mostly the same values.
_check_metric: Callable[..., Any] = functools.lru_cache(2048)(_validate_metric)
_check_param: Callable[..., Any] = functools.lru_cache(2048)(_validate_param)
_check_tag: Callable[..., Any] = functools.lru_cache(2048)(_validate_tag)

_WORD, _NUMBER = ("key", "value"), ("key", "step", "value", "timestamp", "is_nan")
_COLUMNS: dict[sa.Table, tuple[str, ...]] = {  # of a run's rows, but for the run's id
    SqlTag.__table__: _WORD,
    SqlParam.__table__: _WORD,
    SqlMetric.__table__: _NUMBER,
    SqlLatestMetric.__table__: _NUMBER,
}


def knows_schema(database: Path) -> bool:
    """Whether the tables are those that this module writes."""
    with contextlib.closing(
        sqlite3.connect(f"file:{urllib.parse.quote(str(database))}?mode=ro", uri=True)
    ) as db:
        return db.execute("SELECT version_num FROM alembic_version").fetchone()[0] in SCHEMAS


class TableRuns:
    """The runs of one experiment of an sqlite database whose artifacts are on this disk."""

    def __init__(self, database: Path, experiment_id: str, artifact_location: str) -> None:
        self._experiment_id, self._location = int(experiment_id), artifact_location.rstrip("/")
        self._engine = sa.create_engine(
            f"sqlite:///{database}",
            isolation_level="AUTOCOMMIT",  # transactions begin and end below, in words
            connect_args={"timeout": _LOCK_SECONDS},
        )

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with self._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA foreign_keys = ON")
            connection.exec_driver_sql("PRAGMA cache_size = -131072")  # kB: indices of the rows of 256 runs
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.exec_driver_sql("COMMIT")
            except BaseException:
                connection.exec_driver_sql("ROLLBACK")
                raise

    def find(self, kind: str, keys: Collection[str] | None = None) -> dict[str, list[KnownRun]]:
        """By key all runs of this kind that are not deleted."""
        with self._engine.connect() as connection:
            return self._find(connection, kind, keys)

    def _find(
        self, connection: sa.Connection, kind: str, keys: Collection[str] | None
    ) -> dict[str, list[KnownRun]]:
        query: Any = (
            sa.select(SqlTag.value, SqlRun.run_uuid, SqlRun.status, SqlRun.artifact_uri)
            .join(SqlRun, SqlRun.run_uuid == SqlTag.run_uuid)
            .where(SqlTag.key == key_tag(kind), SqlRun.lifecycle_stage == "active")
            .where(SqlRun.experiment_id == self._experiment_id)
        )
        if keys is not None and len(keys) <= _KEYS_ASKED:
            query = query.where(SqlTag.value.in_(list(keys)))
        found: dict[str, list[KnownRun]] = {}
        for key, run_id, status, artifact_uri in connection.execute(query):
            found.setdefault(key, []).append(KnownRun(run_id, status == "FINISHED", artifact_uri))
        return found

    def write(self, records: Sequence[RunRecord]) -> dict[str, str]:
        """All in one transaction; a record that MLflow would refuse is left out."""
        problems: dict[str, str] = {}
        rows: list[_Rows] = []
        for record in records:
            try:
                rows.append(_Rows(record))
            except Exception as error:  # what MLflow's own checks raise
                problems[record.key] = problem_of(error)
        made: list[Path] = []
        try:
            with self._transaction() as connection:
                for kind, some in _by_kind(rows).items():
                    found = self._find(connection, kind, [each.record.key for each in some])
                    self._write(connection, some, found, made)
        except Exception as error:  # a full disk, a lock that nobody gives back: nothing was written
            for folder in made:
                shutil.rmtree(folder, ignore_errors=True)
            return problems | {each.record.key: problem_of(error) for each in rows}
        return problems

    def _write(
        self,
        connection: sa.Connection,
        some: Sequence[_Rows],
        found: Mapping[str, Sequence[KnownRun]],
        made: list[Path],
    ) -> None:
        inserted: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for each in some:
            record = each.record
            known = best(found[record.key]) if record.key in found else None
            run_id = uuid.uuid4().hex if known is None else known.run_id
            artifact_uri = f"{self._location}/{run_id}/artifacts" if known is None else known.artifact_uri
            folder = _local_path(artifact_uri)
            if known is None:
                made.append(folder.parent)
                own = {"artifact_uri": artifact_uri, "experiment_id": self._experiment_id, "run_uuid": run_id}
                inserted[_insert(SqlRun.__table__, (*each.run, *own))].append(
                    (*each.run.values(), *own.values())
                )
            elif not known.finished:
                self._clear(connection, each, run_id)
            if known is None or not known.finished:
                for table, rows in each.rows.items():
                    inserted[_insert(table, (*_COLUMNS[table], "run_uuid"))] += [
                        (*row, run_id) for row in rows
                    ]
            _write_files(folder, record.artifacts, known)
        for insert, rows in inserted.items():
            if rows:  # by sqlite itself: SQLAlchemy takes longer to prepare a row than sqlite to write it
                connection.exec_driver_sql(insert, rows)

    def _clear(self, connection: sa.Connection, each: _Rows, run_id: str) -> None:
        """Make room for the rows of a run that failed, was torn or grew; what has other keys stays."""
        for table, rows in each.rows.items():
            keys = {row[0] for row in rows}
            connection.execute(sa.delete(table).where(table.c.run_uuid == run_id, table.c.key.in_(keys)))
        connection.execute(sa.update(SqlRun).where(SqlRun.run_uuid == run_id).values(**each.run))

    def rename(self, changes: Sequence[tuple[str, str, Mapping[str, str]]]) -> None:
        """All in one transaction."""
        with self._transaction() as connection:
            for run_id, name, tags in changes:
                rows = [
                    {"run_uuid": run_id, "key": key, "value": value}
                    for key, value in {**tags, _RUN_NAME: name}.items()
                ]
                setting = upsert(SqlTag.__table__)
                replace = setting.on_conflict_do_update(
                    index_elements=["key", "run_uuid"], set_={"value": setting.excluded.value}
                )
                connection.execute(replace, rows)
                connection.execute(sa.update(SqlRun).where(SqlRun.run_uuid == run_id).values(name=name))

    def artifact_names(self, runs: Sequence[KnownRun]) -> list[set[str]]:
        """By looking into the folders."""
        return [_names(_local_path(run.artifact_uri)) for run in runs]


class _Rows:
    """The rows of one run without its id, checked as MLflow checks them."""

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        tags = [_check_tag(key, value) for key, value in {**record.all_tags, _RUN_NAME: record.name}.items()]
        params = [_check_param(key, value) for key, value in record.params.items()]
        metrics: dict[tuple[Any, ...], None] = {}
        latest: dict[str, tuple[Any, ...]] = {}
        for point in record.points:
            value = float(point.value)
            _check_metric(point.metric, 0.0, 0, 0)  # its name: the rest are numbers
            is_nan = math.isnan(value)
            stored = 0.0 if is_nan else max(-_LARGEST, min(_LARGEST, value))  # SQL has neither nan nor inf
            row = (point.metric, point.step, stored, record.end, is_nan)
            metrics[row] = None
            old = latest.get(point.metric)
            if old is None or row[1:3] > old[1:3]:
                latest[point.metric] = row
        self.rows: dict[sa.Table, list[tuple[Any, ...]]] = {
            SqlTag.__table__: [(tag.key, tag.value) for tag in tags],
            SqlParam.__table__: [(param.key, param.value) for param in params],
            SqlMetric.__table__: list(metrics),
            SqlLatestMetric.__table__: list(latest.values()),
        }
        self.run: dict[str, Any] = {
            "name": record.name,
            "source_type": "UNKNOWN",
            "source_name": "",
            "entry_point_name": "",
            "source_version": "",
            "user_id": record.tags.get("mlflow.user", "unknown"),
            "status": "FINISHED" if record.finished else "FAILED",
            "start_time": record.start,
            "end_time": record.end,
            "deleted_time": None,
            "lifecycle_stage": "active",
        }


@functools.cache
def _insert(table: sa.Table, names: tuple[str, ...]) -> str:
    return f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"


def _by_kind(rows: Sequence[_Rows]) -> dict[str, list[_Rows]]:
    kinds: dict[str, list[_Rows]] = {}
    for each in rows:
        kinds.setdefault(each.record.kind, []).append(each)
    return kinds


def _local_path(artifact_uri: str) -> Path:
    return Path(urllib.request.url2pathname(urllib.parse.urlsplit(artifact_uri).path))


def _names(folder: Path) -> set[str]:
    try:
        return {path.name for path in folder.iterdir() if path.stat().st_size}
    except OSError:
        return set()


def _write_files(folder: Path, artifacts: Mapping[str, bytes], known: KnownRun | None) -> None:
    """Complete or absent, whoever dies meanwhile; of a run that nobody knows yet none counts until then."""
    os.makedirs(folder, exist_ok=True)
    there = _names(folder) if known is not None and known.finished else set()
    for name, content in artifacts.items():
        if known is None:
            (folder / name).write_bytes(content)
        elif name not in there:
            (folder / f".{name}").write_bytes(content)
            os.replace(folder / f".{name}", folder / name)
