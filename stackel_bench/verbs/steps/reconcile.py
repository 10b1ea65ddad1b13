"""Opens the MLflow store of a sweep and evens it out with the journal: fetches what only one of them has."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from stackel_bench.config.settings import TrackingSettings
from stackel_bench.errors import InputError, UnavailableError, expanded
from stackel_bench.results.entry import Entry
from stackel_bench.results.journal import Result
from stackel_bench.sweeps.cell import Cell
from stackel_bench.tracking.mirror import Mirror, lacking_artifacts
from stackel_bench.tracking.run_record import problem_of
from stackel_bench.tracking.start import open_store, store_uri, wait_for
from stackel_bench.verbs.steps.publish import Session

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore

_FETCHES_AT_ONCE = 8
_COMMITTED_AT_ONCE = 64


@dataclass(frozen=True)
class Tracking:
    """A store that answered, its mirror, and what it knows about the cells of this sweep."""

    store: MlflowStore
    mirror: Mirror
    unmirrored: list[Entry]
    complete: set[str]  # cell ids

    def reconcile(self, session: Session, missing: Sequence[Cell]) -> int:
        """Fetch missing cells that the store has, log entries that it has not; how many were fetched."""
        cells = {cell.cell_id: cell for cell in missing if cell.cell_id in self.complete}
        wanted = list(cells)
        fetched = 0
        for start in range(0, len(wanted), _COMMITTED_AT_ONCE):
            found = _fetch(self.store, wanted[start : start + _COMMITTED_AT_ONCE])
            entries = session.journal.commit(
                [_renamed(kept, cells[kept[0].cell_id]) for kept in found if kept is not None]
            )
            self.mirror.add_known(*(entry.cell_id for entry in entries))
            with contextlib.suppress(Exception):  # a store that fails now; the runs keep their older names
                self.store.rename_cells(entries, session.plan.sweep_id)
            fetched += len(entries)
        for entry in self.unmirrored:
            self.mirror.add(entry)
        return fetched


def _renamed(kept: Result, cell: Cell) -> Result:
    """The cell that another sweep logged, as this sweep calls it."""
    entry, records, actions = kept
    return dataclasses.replace(entry, label=cell.label, varying=cell.varying), records, actions


def open_tracking(session: Session, missing: Sequence[Cell]) -> Tracking | None:
    """The sweep's store, opened and asked; None where tracking is off."""
    plan, journal = session.plan, session.journal
    store = open_store(plan.settings.tracking, expanded("output", plan.settings.output), plan.study)
    if store is None:
        return None
    mirror = Mirror(store, journal, session.tags)
    unmirrored = mirror.unmirrored()
    asked = {cell.cell_id for cell in missing} | {entry.cell_id for entry in unmirrored}
    if store.is_embedded:  # where looking is cheap
        store.find_runs()
        listed = {entry.cell_id for entry in unmirrored}
        unmirrored += [journal.entries[i] for i in sorted(lacking_artifacts(store, journal) - listed)]
    found = store.find_runs(asked)
    return Tracking(store, mirror, unmirrored, {cell_id for cell_id, done in found.items() if done})


def opened_tracking(opening: Future[Tracking | None], session: Session) -> Tracking | None:
    """The sweep's tracking once it is there; says what it is waiting for, and gives up in the end."""
    settings = session.plan.settings
    config, output = settings.tracking, expanded("output", settings.output)

    def tell(waited: float) -> None:
        uri = store_uri(config, output)
        session.say(f"waiting for MLflow at {uri} to answer, {waited:.0f} s so far")

    with store_errors(config, output):
        return wait_for(opening, config.open_seconds, tell)


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
