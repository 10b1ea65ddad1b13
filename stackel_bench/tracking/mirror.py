"""Mirrors journal entries to MLflow from a background thread, so that computing never waits for logging."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from stackel_bench.tracking.journal import Entry, Journal
from stackel_bench.tracking.ledger import Ledger

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore

_RETRY_SECONDS = (0.5, 1, 2, 4, 8)


class Mirror:
    """Takes entries in any order, logs each one once; what could not be logged is kept and counted."""

    def __init__(self, store: MlflowStore, journal: Journal, tags: Mapping[str, str]) -> None:
        self._store, self._journal, self._tags = store, journal, tags
        self._ledger = Ledger(journal.folder, store.uri, store.experiment_id)
        self._queue: queue.Queue[Entry | None] = queue.Queue()
        self._hurry = threading.Event()
        self.unsynced: dict[str, str] = {}  # cell id -> why
        self._thread = threading.Thread(target=self._work, name="mlflow-mirror", daemon=True)
        self._thread.start()

    def unmirrored(self) -> list[Entry]:
        """Entries of the journal that are not known to be complete in the store."""
        entries = self._journal.entries.values()
        return [e for e in entries if e.state == "failed" or e.cell_id not in self._ledger.cell_ids]

    def add(self, entry: Entry) -> None:
        """Log this entry soon."""
        self._queue.put(entry)

    def close(self, patience: float | None = None) -> dict[str, str]:
        """Log what is waiting and return what could not be logged; after so many seconds no more retries."""
        if patience is not None:
            timer = threading.Timer(patience, self._hurry.set)
            timer.daemon = True
            timer.start()
        self._queue.put(None)
        self._thread.join()
        return self.unsynced

    def abandon(self) -> None:
        """Stop after the entry that is being logged."""
        self._hurry.set()
        self._queue.put(None)
        self._thread.join(timeout=5)

    def _work(self) -> None:
        while (entry := self._queue.get()) is not None:
            problem = self._log(entry)
            if problem:
                self.unsynced[entry.cell_id] = problem
            elif entry.state == "finished":
                self._ledger.add(entry.cell_id)

    def _log(self, entry: Entry) -> str:
        """Why it failed in the end, or nothing; not retried while the store has been failing anyway."""
        path = self._journal.records_path(entry.cell_id)
        problem = ""
        for delay in (0.0,) if self.unsynced else (*_RETRY_SECONDS, 0.0):
            if problem and self._hurry.is_set():
                break
            try:
                records = path.read_bytes() if entry.state == "finished" else None
                self._store.log_cell(entry, self._tags, records)
                return ""
            except Exception as error:  # any failure of the store: kept, reported, mended by sync
                problem = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            self._hurry.wait(delay)
        return problem


def sync(store: MlflowStore, journal: Journal, tags: Mapping[str, str]) -> tuple[int, dict[str, str]]:
    """Log every entry of the journal that is not known to be in the store: (how many, what failed)."""
    store.find_runs()
    mirror = Mirror(store, journal, tags)
    missing = mirror.unmirrored()
    for entry in missing:
        mirror.add(entry)
    unsynced = mirror.close()
    return len(missing) - len(unsynced), unsynced
