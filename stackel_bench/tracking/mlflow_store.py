"""Finished cells as MLflow runs. Nothing else imports mlflow."""

from __future__ import annotations

import itertools
import logging
import os
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")
os.environ.setdefault("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
# The mirror has its own patience, and only it can tell whether a request that failed had an effect.
os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "20")

import yaml
from mlflow import MlflowClient
from mlflow.entities import Experiment, Metric, Param, RunStatus, RunTag, ViewType
from mlflow.exceptions import MlflowException

from stackel_bench.results.columns import shown_in
from stackel_bench.results.entry import FAILED, FINISHED, Entry
from stackel_bench.results.frames import entry_verdict
from stackel_bench.results.journal import Result
from stackel_bench.results.storage.table import read_table
from stackel_bench.results.varying import flat_items

_METRICS_PER_CALL = 900  # MLflow's REST interface: 1000 entities, 100 of them parameters
_PARAMS_PER_CALL = 100
_RUNS_PER_PAGE = 1000
_RUNS_ASKED_SINGLY = 50
_ENTRY_FILE = "cell.json"
_RECORDS_FILE = "records.parquet"
_ACTIONS_FILE = "actions.parquet"


@dataclass(frozen=True)
class _KnownRun:
    run_id: str
    complete: bool


class MlflowStore:
    """One experiment: a flat run per cell, a report run per sweep; logging twice changes nothing."""

    def __init__(self, uri: str, experiment: str, artifact_root: Path | None = None) -> None:
        logging.getLogger("mlflow").setLevel(logging.ERROR)
        logging.getLogger("alembic").setLevel(logging.ERROR)
        self._uri = uri
        self._client = MlflowClient(tracking_uri=uri)
        found = self._experiment(experiment, artifact_root)
        self.experiment_id = found.experiment_id
        # Not the address alone: somebody may have put another database there.
        self.identity = f"{uri}\n{found.experiment_id}\n{found.creation_time}"
        self._runs: dict[str, _KnownRun] = {}  # by cell id
        self._unsure: set[str] = set()  # cells whose run may exist although creating it failed

    def _experiment(self, name: str, artifact_root: Path | None) -> Experiment:
        found = self._client.get_experiment_by_name(name)
        if found is None:
            location = None if artifact_root is None else (artifact_root.resolve() / name).as_uri()
            try:
                return self._client.get_experiment(self._client.create_experiment(name, location))
            except MlflowException:  # another driver was faster
                found = self._client.get_experiment_by_name(name)
                if found is None:
                    raise
        if found.lifecycle_stage == "deleted":
            self._client.restore_experiment(found.experiment_id)
        return found

    def describe(self, text: str, tags: Mapping[str, str]) -> None:
        """Set the experiment's description (Markdown) and further tags of it."""
        for key, value in {"mlflow.note.content": text, **tags}.items():
            self._client.set_experiment_tag(self.experiment_id, key, value)

    def link(self, query: str) -> str:
        """The page of this experiment's runs; for a local store on the port that `ui` prefers."""
        base = self._uri.rstrip("/") if self._uri.startswith("http") else "http://127.0.0.1:5000"
        return f"{base}/#/experiments/{self.experiment_id}/runs?{query}"

    def find_runs(self, cell_ids: Collection[str] | None = None) -> dict[str, bool]:
        """Cell ids (of those given at least) that have a run here, and whether it is complete."""
        if cell_ids is None or len(cell_ids) > _RUNS_ASKED_SINGLY:  # MLflow has no search for a set of tags
            self._search("tags.`stackel.kind` = 'cell'")
        else:
            for cell_id in cell_ids:
                self._search(f"tags.`stackel.cell_id` = '{cell_id}'")
        return {cell_id: run.complete for cell_id, run in self._runs.items()}

    def run_ids(self, cell_ids: Collection[str]) -> dict[str, str]:
        """The ids of the runs of these cells, as far as they have one."""
        self.find_runs(cell_ids)
        return {cell_id: self._runs[cell_id].run_id for cell_id in cell_ids if cell_id in self._runs}

    def _search(self, query: str) -> None:
        token = None
        while True:
            page = self._client.search_runs(
                [self.experiment_id], query, ViewType.ACTIVE_ONLY, _RUNS_PER_PAGE, None, token
            )
            for run in page:
                cell_id = run.data.tags["stackel.cell_id"]
                known = _KnownRun(run.info.run_id, run.info.status == "FINISHED")
                if known.complete or cell_id not in self._runs:
                    self._runs[cell_id] = known
            token = page.token
            if not token:
                return

    def log_cell(
        self, entry: Entry, tags: Mapping[str, str], records: bytes | None, actions: bytes | None = None
    ) -> None:
        """The run of a finished or failed cell with its tables (Parquet).

        A complete run is left alone, a torn one is completed.
        """
        stamp = round(entry.finished_at * 1000)
        run = self._run_of(entry, tags, stamp - round(entry.wall_seconds * 1000))
        if run.complete:
            return
        known = [Param(k, str(v)) for k, v in flat_items(entry.config) if v is not None]
        params = list(_chunks(known, _PARAMS_PER_CALL))
        metrics = list(_chunks(_metrics(entry, stamp), _METRICS_PER_CALL))
        for some_metrics, some_params in itertools.zip_longest(metrics, params, fillvalue=()):
            self._client.log_batch(run.run_id, some_metrics, some_params, _verdict(entry))
        with tempfile.TemporaryDirectory() as folder:
            for name, content in _artifacts(entry, records, actions).items():
                Path(folder, name).write_bytes(content)
            self._client.log_artifacts(run.run_id, folder)
        complete = entry.state == FINISHED
        status = RunStatus.to_string(RunStatus.FINISHED if complete else RunStatus.FAILED)
        self._client.set_terminated(run.run_id, status, stamp)
        self._runs[entry.cell_id] = _KnownRun(run.run_id, complete)

    def _run_of(self, entry: Entry, tags: Mapping[str, str], start: int) -> _KnownRun:
        """The cell's run, created if there is none; never a second one, also after a lost answer."""
        cell_id = entry.cell_id
        if cell_id in self._unsure:
            self._search(f"tags.`stackel.cell_id` = '{cell_id}'")
        if cell_id not in self._runs:
            self._unsure.add(cell_id)
            all_tags = {"stackel.kind": "cell", "stackel.cell_id": cell_id, **_tags(entry), **tags}
            run = self._client.create_run(self.experiment_id, start, all_tags, entry.label)
            self._runs[cell_id] = _KnownRun(run.info.run_id, complete=False)
        self._unsure.discard(cell_id)
        return self._runs[cell_id]

    def rename_cell(self, entry: Entry) -> None:
        """Give the run of a cell that another sweep logged the name and the tags that it has in this one."""
        run_id = self._runs[entry.cell_id].run_id
        self._client.log_batch(run_id, tags=[RunTag(key, value) for key, value in _tags(entry).items()])
        self._client.update_run(run_id, name=entry.label)

    def fetch_cell(self, cell_id: str) -> Result | None:
        """Entry and tables of a complete run that find_runs found, for a driver without the journal."""
        run = self._runs.get(cell_id)
        if run is None or not run.complete:
            return None
        with tempfile.TemporaryDirectory() as folder:

            def fetch(name: str) -> bytes:
                return Path(self._client.download_artifacts(run.run_id, name, folder)).read_bytes()

            try:
                entry = Entry.from_line(fetch(_ENTRY_FILE))
                records = read_table(fetch(_RECORDS_FILE), entry.records_digest)
                has_actions = bool(entry.actions_digest)
                actions = read_table(fetch(_ACTIONS_FILE), entry.actions_digest) if has_actions else None
            except (MlflowException, OSError, ValueError):
                return None  # artifacts are gone, damaged or not ours: the cell runs again
        return (entry, records, actions) if entry.cell_id == cell_id and entry.state == FINISHED else None

    def log_report(
        self,
        sweep_id: str,
        tags: Mapping[str, str],
        metrics: Mapping[str, float],
        folder: Path,
        files: Sequence[Path],
    ) -> str:
        """The sweep's report run with these files of a folder; found again by the sweep id."""
        query = f"tags.`stackel.kind` = 'report' and tags.`stackel.sweep_id` = '{sweep_id}'"
        found = self._client.search_runs([self.experiment_id], query, max_results=1)
        all_tags = {"stackel.kind": "report", "stackel.sweep_id": sweep_id, **tags}
        run = found[0] if found else self._client.create_run(self.experiment_id, None, all_tags, "report")
        run_id: str = run.info.run_id
        stamp = int(run.info.start_time)
        batch = [Metric(key, float(value), stamp, 0) for key, value in metrics.items()]
        self._client.log_batch(run_id, metrics=batch, tags=[RunTag(k, v) for k, v in all_tags.items()])
        for path in files:
            parent = path.relative_to(folder).parent.as_posix()
            self._client.log_artifact(run_id, str(path), None if parent == "." else parent)
        self._client.set_terminated(run_id)
        return run_id


def create_database(uri: str) -> None:
    """An empty database with MLflow's tables."""
    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.ERROR)
    MlflowClient(tracking_uri=uri).search_experiments(max_results=1)


def _artifacts(entry: Entry, records: bytes | None, actions: bytes | None) -> dict[str, bytes]:
    files = {
        _ENTRY_FILE: entry.to_line(),
        "config.yaml": yaml.safe_dump(dict(entry.config), sort_keys=False).encode(),
    }
    if records is not None:
        files[_RECORDS_FILE] = records
    if actions is not None:
        files[_ACTIONS_FILE] = actions
    if entry.state == FAILED:
        files["failure.txt"] = f"{entry.error}\n\n{entry.traceback}\n".encode()
    return files


def _tags(entry: Entry) -> dict[str, str]:
    """What the cell is, and the configuration keys that tell the cells of its sweep apart."""
    described = [column.name for column in shown_in("tag") if entry.description.get(column.name)]
    tags = {name: str(entry.description[name]) for name in described}
    values = dict(flat_items(entry.config))
    varying = {key: str(values[key]) for key in entry.varying if values.get(key) is not None}
    return tags | varying | {"stackel.seed": str(entry.description["seed"])}


def _verdict(entry: Entry) -> list[RunTag]:
    return [RunTag("verdict", entry_verdict(entry))] if entry.state == FINISHED else []


def _metrics(entry: Entry, stamp: int) -> list[Metric]:
    """Headline numbers, and the learning curve with the sample count as step where there is one."""
    headline = {key: value for key, value in entry.metrics.items() if key != "samples"}
    curves = entry.rungs if len(entry.rungs) > 1 else ()
    along = set(curves[0]) if curves else set()
    metrics = [Metric(key, value, stamp, 0) for key, value in headline.items() if key not in along]
    metrics.append(Metric("wall_seconds", entry.wall_seconds, stamp, 0))
    metrics.append(Metric("busy_seconds", entry.busy_seconds, stamp, 0))
    for rung in curves:
        step = round(rung["samples"])
        metrics += [Metric(key, value, stamp, step) for key, value in rung.items() if key != "samples"]
    return metrics


def _chunks(items: list[Any], size: int) -> Iterable[list[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
