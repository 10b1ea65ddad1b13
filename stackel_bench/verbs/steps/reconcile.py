"""Opens the MLflow store of a sweep and evens it out with the journal: fetches what only one of them has."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from stackel_bench.config.settings import TrackingSettings
from stackel_bench.errors import InputError
from stackel_bench.results.entry import Entry
from stackel_bench.results.journal import Journal, Result
from stackel_bench.sweeps.cell import Cell
from stackel_bench.sweeps.driver import missing_cells
from stackel_bench.sweeps.plan import Plan
from stackel_bench.tracking.mirror import Mirror
from stackel_bench.tracking.start import open_store, store_uri

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore

Value = TypeVar("Value")
_FETCHES_AT_ONCE = 8
_COMMITTED_AT_ONCE = 64


@dataclass(frozen=True)
class Tracking:
    """A store that answered, its mirror, and what it knows about the cells of this sweep."""

    store: MlflowStore
    mirror: Mirror
    unmirrored: list[Entry]
    complete: set[str]  # cell ids

    def reconcile(self, plan: Plan, journal: Journal) -> int:
        """Fetch missing cells that the store has, log entries that it has not; how many were fetched."""
        cells = {c.cell_id: c for c in missing_cells(plan, journal) if c.cell_id in self.complete}
        wanted = list(cells)
        fetched = 0
        for start in range(0, len(wanted), _COMMITTED_AT_ONCE):
            found = _fetch(self.store, wanted[start : start + _COMMITTED_AT_ONCE])
            entries = journal.commit(
                [_renamed(kept, cells[kept[0].cell_id]) for kept in found if kept is not None]
            )
            for entry in entries:
                self.mirror.add_known(entry.cell_id)
                with contextlib.suppress(Exception):  # a store that fails now; the run keeps its older name
                    self.store.rename_cell(entry)
            fetched += len(entries)
        for entry in self.unmirrored:
            self.mirror.add(entry)
        return fetched


def _renamed(kept: Result, cell: Cell) -> Result:
    """The cell that another sweep logged, as this sweep calls it."""
    entry, records, actions = kept
    return dataclasses.replace(entry, label=cell.label, varying=cell.varying), records, actions


def open_tracking(plan: Plan, journal: Journal, tags: Mapping[str, str]) -> Tracking | None:
    """The sweep's store, opened and asked; None where tracking is off."""
    config = plan.settings.tracking
    if config.kind == "off":
        return None
    with opened_store(config, Path(plan.settings.output).expanduser(), plan.study) as store:
        mirror = Mirror(store, journal, tags)
        unmirrored = mirror.unmirrored()
        asked = {cell.cell_id for cell in missing_cells(plan, journal)} | {e.cell_id for e in unmirrored}
        found = store.find_runs(asked)
    return Tracking(store, mirror, unmirrored, {cell_id for cell_id, done in found.items() if done})


@contextlib.contextmanager
def opened_store(config: TrackingSettings, output: Path, study: str) -> Iterator[MlflowStore]:
    """The store of a study, tracking being on; a store that cannot answer what is asked is an InputError."""
    try:
        store = open_store(config, output, study)
        assert store is not None
        yield store
    except InputError:
        raise
    except Exception as error:  # whatever a database or a server answers
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        allowed = f"a store that can be opened ({reason})"
        raise InputError("tracking", store_uri(config, output), allowed) from error


def in_background(function: Callable[..., Value], *arguments: object) -> Future[Value]:
    """The result to come of a call in a thread that nobody has to wait for, Ctrl-C included."""
    future: Future[Value] = Future()

    def work() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:  # raised again where the result is asked for
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future


def _fetch(store: MlflowStore, cell_ids: list[str]) -> Iterable[Result | None]:
    pool = ThreadPoolExecutor(_FETCHES_AT_ONCE)
    try:
        yield from pool.map(store.fetch_cell, cell_ids)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
