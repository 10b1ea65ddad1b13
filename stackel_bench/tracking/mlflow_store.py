"""One experiment of an MLflow store: its runs, its description, its report. Nothing else imports mlflow."""

import logging
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from mlflow import MlflowClient
from mlflow.entities import Experiment, Metric, RunTag
from mlflow.exceptions import MlflowException

from stackel_bench.results.entry import FINISHED, Entry
from stackel_bench.results.journal import Result
from stackel_bench.results.storage.table import read_table
from stackel_bench.tracking.cell_run import ACTIONS_FILE, ENTRY_FILE, KIND, RECORDS_FILE, identity_tags
from stackel_bench.tracking.links import in_sweep, runs_link
from stackel_bench.tracking.mlflow_client import ClientRuns
from stackel_bench.tracking.mlflow_tables import TableRuns, knows_schema
from stackel_bench.tracking.run_record import KnownRun, RunRecord, Runs, best

_SQLITE = "sqlite:///"
_CONNECTIONS = 8  # to a server at the same time


class MlflowStore:
    """A flat run per cell, a report run per sweep; writing twice changes nothing.

    Runs go into an embedded database by its tables, many at once, and to anything else by the client.
    """

    def __init__(
        self, uri: str, experiment: str, artifact_root: Path | None = None, by_tables: bool = True
    ) -> None:
        logging.getLogger("mlflow").setLevel(logging.ERROR)
        logging.getLogger("alembic").setLevel(logging.ERROR)
        self._uri = uri
        self._client = MlflowClient(tracking_uri=uri)
        found = self._experiment(experiment, artifact_root)
        self.experiment_id = found.experiment_id
        # Not the address alone: somebody may have put another database there.
        self.identity = f"{uri}\n{found.experiment_id}\n{found.creation_time}"
        self.is_embedded = uri.startswith(_SQLITE)
        self._cells: dict[str, KnownRun] = {}
        database, location = Path(uri.removeprefix(_SQLITE)), found.artifact_location
        connections = 1 if self.is_embedded else _CONNECTIONS
        self.growing = ClientRuns(self._client, self.experiment_id, connections)  # runs of cells in work
        self._runs: Runs = self.growing
        if by_tables and self.is_embedded and location.startswith("file:") and knows_schema(database):
            self._runs = TableRuns(database, self.experiment_id, location)

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

    def describe(self, tags: Mapping[str, str], is_own: Callable[[str], bool]) -> None:
        """Set these tags of the experiment, and remove those that are ours and no longer wanted."""
        known = self._client.get_experiment(self.experiment_id).tags
        for key, value in tags.items():
            if known.get(key) != value:
                self._client.set_experiment_tag(self.experiment_id, key, value)
        for key in known:
            if is_own(key) and key not in tags:
                self._client.delete_experiment_tag(self.experiment_id, key)

    def replace(self, kind: str, prefix: str, records: Sequence[RunRecord]) -> None:
        """Of this kind, these runs and no others whose keys begin so; an error says what was refused."""
        problems = self.write(records)
        if problems:
            raise MlflowException(next(iter(problems.values())))
        wanted = {record.key for record in records}
        self.settle(kind, wanted)
        for key, runs in self._runs.find(kind).items():
            if key.startswith(prefix) and key not in wanted:
                for run in runs:
                    self._client.delete_run(run.run_id)

    def link(self, query: str) -> str:
        """The page of this experiment's runs; for a local store on the port that `ui` prefers."""
        base = self._uri.rstrip("/") if self._uri.startswith("http") else "http://127.0.0.1:5000"
        return f"{base}/{runs_link(self.experiment_id, query)}"

    def write(self, records: Sequence[RunRecord]) -> dict[str, str]:
        """See to it that these runs are there with all their artifacts; by key, why that was impossible."""
        return self._runs.write(records)

    def settle(self, kind: str, keys: Collection[str]) -> int:
        """Delete what other drivers wrote twice: a key's finished run with the smallest id stays alone.

        Every driver does this after its last run. Whoever is last sees all runs, and all agree which one
        stays, so in the end there is one; runs that are unfinished go once there is a finished one.
        """
        deleted = 0
        for key, runs in self._runs.find(kind, keys).items():
            kept = best(runs)
            if key in keys and kept.finished:
                for run in runs:
                    if run.run_id != kept.run_id:
                        self._client.delete_run(run.run_id)
                        deleted += 1
        return deleted

    def find_runs(self, cell_ids: Collection[str] | None = None) -> dict[str, bool]:
        """Cell ids (of those given at least) that have a run here, and whether it is finished."""
        self._cells |= {key: best(runs) for key, runs in self._runs.find(KIND, cell_ids).items()}
        return {cell_id: run.finished for cell_id, run in self._cells.items()}

    def run_ids(self, cell_ids: Collection[str]) -> dict[str, str]:
        """The ids of the runs of these cells, as far as they have one."""
        self.find_runs(cell_ids)
        return {cell_id: self._cells[cell_id].run_id for cell_id in cell_ids if cell_id in self._cells}

    def lacking(self, expected: Mapping[str, set[str]]) -> set[str]:
        """Of cells that find_runs found: those that lack some of the artifacts that they should have."""
        known = [(cell_id, self._cells[cell_id]) for cell_id in expected if cell_id in self._cells]
        names = self._runs.artifact_names([run for _, run in known])
        return {
            cell_id for (cell_id, _), there in zip(known, names, strict=True) if expected[cell_id] - there
        }

    def rename_cells(self, entries: Sequence[Entry], sweep_id: str) -> None:
        """Give runs that another sweep logged the names and the tags that their cells have in this one."""
        own = {in_sweep(sweep_id): "yes"}
        self._runs.rename(
            [(self._cells[e.cell_id].run_id, e.label, {**identity_tags(e), **own}) for e in entries]
        )

    def fetch_cell(self, cell_id: str) -> Result | None:
        """Entry and tables of a complete run that find_runs found, for a driver without the journal."""
        run = self._cells.get(cell_id)
        if run is None or not run.finished:
            return None
        with tempfile.TemporaryDirectory() as folder:

            def fetch(name: str) -> bytes:
                return Path(self._client.download_artifacts(run.run_id, name, folder)).read_bytes()

            try:
                entry = Entry.from_line(fetch(ENTRY_FILE))
                records = read_table(fetch(RECORDS_FILE), entry.records_digest)
                has_actions = bool(entry.actions_digest)
                actions = read_table(fetch(ACTIONS_FILE), entry.actions_digest) if has_actions else None
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
        found = sorted(self._client.search_runs([self.experiment_id], query), key=lambda run: run.info.run_id)
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
        everybody = {run.info.run_id for run in self._client.search_runs([self.experiment_id], query)}
        for another in sorted(everybody)[1:]:  # by a driver of the same sweep
            self._client.delete_run(another)
        return run_id
