"""Opens the MLflow store of a sweep, and fetches the cells that only the store has."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stackel_bench.config.settings import TrackingSettings
from stackel_bench.errors import InputError, UnavailableError, expanded
from stackel_bench.results.journal import Journal, Result
from stackel_bench.sweeps.cell import Cell
from stackel_bench.sweeps.driver import missing_cells
from stackel_bench.sweeps.plan import Plan
from stackel_bench.tracking.mirror_process import MirrorProcess, Place, RemoteStore
from stackel_bench.tracking.run_record import problem_of
from stackel_bench.tracking.start import store_uri, wait_for

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore

_FETCHES_AT_ONCE = 8
_COMMITTED_AT_ONCE = 64


def open_tracking(plan: Plan, journal: Journal, tags: Mapping[str, str]) -> MirrorProcess | None:
    """A mirror that opens the sweep's store, to be waited for by opened_store; None where tracking is off."""
    config, output = plan.settings.tracking, expanded("output", plan.settings.output)
    if config.kind == "off":
        return None
    place = Place(config, output, plan.study, journal.folder, tags)
    return MirrorProcess(place, {cell.cell_id for cell in missing_cells(plan, journal)})


def opened_store(
    mirror: MirrorProcess, plan: Plan, tell: Callable[[str], None]
) -> tuple[MlflowStore, set[str]]:
    """The store once it is there, and the ids of cells that it has, if they were missing.

    Says what it is waiting for, and gives up in the end.
    """
    config, output = plan.settings.tracking, expanded("output", plan.settings.output)
    uri = store_uri(config, output)
    with store_errors(config, output):
        experiment_id, complete = wait_for(
            mirror.opening,
            config.open_seconds,
            lambda waited: tell(f"waiting for MLflow at {uri} to answer, {waited:.0f} s so far"),
        )
    store: Any = RemoteStore(mirror, experiment_id)
    return store, complete


def fetch_cells(
    mirror: MirrorProcess, store: MlflowStore, complete: set[str], plan: Plan, journal: Journal
) -> int:
    """Fetch missing cells that the store has complete; how many that were."""
    cells = {cell.cell_id: cell for cell in missing_cells(plan, journal) if cell.cell_id in complete}
    wanted = list(cells)
    fetched = 0
    for start in range(0, len(wanted), _COMMITTED_AT_ONCE):
        found = _fetch(store, wanted[start : start + _COMMITTED_AT_ONCE])
        entries = journal.commit([_renamed(kept, cells[kept[0].cell_id]) for kept in found if kept])
        mirror.add_known([entry.cell_id for entry in entries])
        with contextlib.suppress(Exception):  # a store that fails now; the runs keep their older names
            store.rename_cells(entries, plan.sweep_id)
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
