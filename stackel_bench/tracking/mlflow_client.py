"""Runs by MLflow's public client: any store, one call after the other, several runs at the same time."""

import itertools
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from mlflow import MlflowClient
from mlflow.entities import Metric, Param, RunTag, ViewType
from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

from stackel_bench.tracking.run_record import KnownRun, RunRecord, best, key_tag, problem_of

_METRICS_PER_CALL = 900  # MLflow's REST interface: 1000 entities, 100 of them parameters
_PARAMS_PER_CALL = 100
_RUNS_PER_PAGE = 1000
_RUNS_ASKED_SINGLY = 50

Item = TypeVar("Item")
Value = TypeVar("Value")


class ClientRuns:
    """Never a second run of a key by this process, also after a lost answer; other processes may add one."""

    def __init__(self, client: MlflowClient, experiment_id: str, connections: int = 1) -> None:
        self._client, self._experiment_id, self._connections = client, experiment_id, connections
        self._known: dict[tuple[str, str], KnownRun] = {}  # by kind and key
        self._grown: set[tuple[str, str]] = set()  # runs of cells in work, by this process
        self._unsure: set[tuple[str, str]] = set()  # runs that may exist although creating them failed

    def find(self, kind: str, keys: Collection[str] | None = None) -> dict[str, list[KnownRun]]:
        """By key all runs of this kind that are not deleted; MLflow has no search for a set of tags."""
        queries = [f"tags.`stackel.kind` = '{kind}'"]
        if keys is not None and len(keys) <= _RUNS_ASKED_SINGLY:
            queries = [f"tags.`{key_tag(kind)}` = '{key}'" for key in keys]
        found: dict[str, list[KnownRun]] = {}
        for some in self._each(lambda query: self._search(kind, query), queries):
            for key, run in some:
                found.setdefault(key, []).append(run)
        for key, runs in found.items():
            self._known[kind, key] = best(runs)
        return found

    def _search(self, kind: str, query: str) -> list[tuple[str, KnownRun]]:
        found: list[tuple[str, KnownRun]] = []
        token = None
        while True:
            page = self._client.search_runs(
                [self._experiment_id], query, ViewType.ACTIVE_ONLY, _RUNS_PER_PAGE, None, token
            )
            for run in page:
                info = run.info
                known = KnownRun(info.run_id, info.status == "FINISHED", info.artifact_uri)
                found.append((run.data.tags[key_tag(kind)], known))
            token = page.token
            if not token:
                return found

    def write(self, records: Sequence[RunRecord]) -> dict[str, str]:
        """Each by several calls; a record that a store refuses does not stand in the way of the others."""
        problems = self._each(self._write, records)
        return {record.key: text for record, text in zip(records, problems, strict=True) if text}

    def _write(self, record: RunRecord) -> str:
        try:
            self._write_one(record)
        except Exception as error:  # any failure of the store: kept, told, tried again
            self._known.pop((record.kind, record.key), None)
            self._unsure.add((record.kind, record.key))
            return problem_of(error)
        return ""

    def _write_one(self, record: RunRecord) -> None:
        run, is_new = self._run_of(record)
        if run.finished:
            (names,) = self.artifact_names([run])
            self._upload(run, {name: record.artifacts[name] for name in record.artifacts.keys() - names})
            return
        params, metrics = _params(record), _metrics(record)
        tags = [] if is_new else [RunTag(key, value) for key, value in record.all_tags.items()]
        batches = itertools.zip_longest(
            _chunks(metrics, _METRICS_PER_CALL), _chunks(params, _PARAMS_PER_CALL), fillvalue=()
        )
        for some_metrics, some_params in batches:
            self._client.log_batch(run.run_id, some_metrics, some_params, tags)
        self._upload(run, record.artifacts)
        self._client.set_terminated(run.run_id, "FINISHED" if record.finished else "FAILED", record.end)
        self._known[record.kind, record.key] = KnownRun(run.run_id, record.finished, run.artifact_uri)

    def grow(self, record: RunRecord) -> None:
        """Add points to the run of a cell in work, which is made where there is none."""
        which = record.kind, record.key
        if which not in self._known:
            self._unsure.add(which)
        run, is_new = self._run_of(record)
        if which not in self._grown:
            if not is_new:  # of an earlier driver
                self._client.update_run(run.run_id, "RUNNING")
            self._client.log_batch(run.run_id, params=_params(record)[:_PARAMS_PER_CALL])
            self._grown.add(which)
        for metrics in _chunks(_metrics(record), _METRICS_PER_CALL):
            self._client.log_batch(run.run_id, metrics)

    def stop(self, kind: str, key: str) -> None:
        """The run's cell is no longer in work, and has no result."""
        self._client.set_terminated(self._known[kind, key].run_id, "KILLED")

    def _run_of(self, record: RunRecord) -> tuple[KnownRun, bool]:
        """The run of this key, and whether it was created just now."""
        which = record.kind, record.key
        if which in self._unsure:
            self.find(record.kind, [record.key])
            self._unsure.discard(which)
        is_new = which not in self._known
        if is_new:
            info = self._client.create_run(
                self._experiment_id, record.start, record.all_tags, record.name
            ).info
            self._known[which] = KnownRun(info.run_id, False, info.artifact_uri)
        return self._known[which], is_new

    def _upload(self, run: KnownRun, artifacts: Mapping[str, bytes]) -> None:
        if not artifacts:
            return
        with tempfile.TemporaryDirectory() as folder:
            for name, content in artifacts.items():
                Path(folder, name).write_bytes(content)
            repository = get_artifact_repository(run.artifact_uri, tracking_uri=self._client.tracking_uri)
            repository.log_artifacts(folder)  # type: ignore[no-untyped-call]

    def rename(self, changes: Sequence[tuple[str, str, Mapping[str, str]]]) -> None:
        """Two calls for each run."""

        def rename_one(change: tuple[str, str, Mapping[str, str]]) -> None:
            run_id, name, tags = change
            self._client.log_batch(run_id, tags=[RunTag(key, value) for key, value in tags.items()])
            self._client.update_run(run_id, name=name)

        self._each(rename_one, changes)

    def artifact_names(self, runs: Sequence[KnownRun]) -> list[set[str]]:
        """One call for each run."""
        return self._each(
            lambda run: {file.path for file in self._client.list_artifacts(run.run_id) if file.file_size},
            runs,
        )

    def _each(self, function: Callable[[Item], Value], items: Sequence[Item]) -> list[Value]:
        """The function of each, over as many connections as there may be."""
        if self._connections == 1 or len(items) < 2:
            return list(map(function, items))
        with ThreadPoolExecutor(min(self._connections, len(items))) as pool:
            return list(pool.map(function, items))


def _params(record: RunRecord) -> list[Param]:
    return [Param(key, value) for key, value in record.params.items()]


def _metrics(record: RunRecord) -> list[Metric]:
    return [Metric(point.metric, point.value, record.end, point.step) for point in record.points]


def _chunks(items: list[Any], size: int) -> Iterable[list[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
