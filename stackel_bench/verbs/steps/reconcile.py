"""Opens the MLflow store of a sweep, and fetches the cells that only the store has."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stackel_bench.config.settings import TrackingSettings
from stackel_bench.errors import InputError, UnavailableError, expanded
from stackel_bench.results.journal import Result
from stackel_bench.sweeps.cell import Cell
from stackel_bench.sweeps.driver import missing_cells
from stackel_bench.tracking.mirror_process import MirrorProcess, Place, RemoteStore
from stackel_bench.tracking.run_record import problem_of
from stackel_bench.tracking.start import store_uri, wait_for
from stackel_bench.verbs.steps.publish import Session

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore

_FETCHES_AT_ONCE = 8
_COMMITTED_AT_ONCE = 64


def open_tracking(session: Session) -> MirrorProcess | None:
    """A mirror that opens the sweep's store, to be waited for by opened_store; None where tracking is off."""
    plan, journal = session.plan, session.journal
    config, output = plan.settings.tracking, expanded("output", plan.settings.output)
    if config.kind == "off":
        return None
    place = Place(config, output, plan.study, journal.folder, session.tags)
    return MirrorProcess(place, {cell.cell_id for cell in missing_cells(plan, journal)})


def opened_store(session: Session, mirror: MirrorProcess) -> tuple[MlflowStore, set[str]]:
    """The store once it is there, and the ids of cells that it has, if they were missing.

    Says what it is waiting for, and gives up in the end.
    """
    settings = session.plan.settings
    config, output = settings.tracking, expanded("output", settings.output)

    def tell(waited: float) -> None:
        uri = store_uri(config, output)
        session.say(f"waiting for MLflow at {uri} to answer, {waited:.0f} s so far")

    with store_errors(config, output):
        experiment_id, complete = wait_for(mirror.opening, config.open_seconds, tell)
    store: Any = RemoteStore(mirror, experiment_id)
    return store, complete


def fetch_cells(session: Session, mirror: MirrorProcess, store: MlflowStore, cells: Sequence[Cell]) -> int:
    """Fetch these cells, which the store has complete; how many that were."""
    by_id = {cell.cell_id: cell for cell in cells}
    wanted = list(by_id)
    fetched = 0
    for start in range(0, len(wanted), _COMMITTED_AT_ONCE):
        found = _fetch(store, wanted[start : start + _COMMITTED_AT_ONCE])
        entries = session.journal.commit([_renamed(kept, by_id[kept[0].cell_id]) for kept in found if kept])
        mirror.add_known([entry.cell_id for entry in entries])
        with contextlib.suppress(Exception):  # a store that fails now; the runs keep their older names
            store.rename_cells(entries, session.plan.sweep_id)
        fetched += len(entries)
    return fetched


def _renamed(kept: Result, cell: Cell) -> Result:
    """The cell that another sweep logged, as this sweep calls it."""
    entry, records, actions = kept
    return dataclasses.replace(entry, label=cell.label, varying=cell.varying), records, actions


@contextlib.contextmanager
def store_errors(config: TrackingSettings, output: Path) -> Iterator[None]:
    """Whatever a database or a server answers, or that it does not, as an InputError."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        what = f"open the MLflow store {store_uri(config, output)}"
        raise UnavailableError("tracking", what, problem_of(error)) from error


def _fetch(store: MlflowStore, cell_ids: list[str]) -> Iterable[Result | None]:
    pool = ThreadPoolExecutor(_FETCHES_AT_ONCE)
    try:
        yield from pool.map(store.fetch_cell, cell_ids)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
