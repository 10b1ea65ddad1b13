"""Mirrors journal entries to MLflow from a background thread, so that computing never waits for logging."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from stackel_bench.tracking.journal import Entry, Journal

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore

_RETRY_SECONDS = (0.5, 1, 2, 4, 8)


class Mirror:
    """Takes entries in any order, logs each one once; what could not be logged is kept and counted."""

    def __init__(self, store: MlflowStore, journal: Journal, tags: Mapping[str, str]) -> None:
        self._store, self._journal, self._tags = store, journal, tags
        self._queue: queue.Queue[Entry | None] = queue.Queue()
        self._hurry = threading.Event()
        self.unsynced: dict[str, str] = {}  # cell id -> why
        self._thread = threading.Thread(target=self._work, name="mlflow-mirror", daemon=True)
        self._thread.start()

    def add(self, entry: Entry) -> None:
        """Log this entry soon."""
        self._queue.put(entry)

    @property
    def waiting(self) -> int:
        """How many entries are still to be logged."""
        return self._queue.qsize()

    def close(self, patience: float | None = None) -> dict[str, str]:
        """Log what is waiting (for at most so many seconds) and return what could not be logged."""
        if patience is not None:
            threading.Timer(patience, self._hurry.set).start()
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
            self._log(entry)

    def _log(self, entry: Entry) -> None:
        def log() -> None:
            records = self._journal.records_path(entry.cell_id)
            artifacts = [records] if records.exists() else []
            self._store.log_cell(entry, self._tags, artifacts)

        problem = self._attempt(log)
        if problem:
            self.unsynced[entry.cell_id] = problem

    def _attempt(self, log: Callable[[], None]) -> str:
        """Why it failed in the end, or nothing; retried unless the store has been failing for a while."""
        delays: Iterable[float] = () if self.unsynced else _RETRY_SECONDS
        problem = ""
        for delay in (*delays, 0):
            if self._hurry.is_set() and problem:
                break
            try:
                log()
                return ""
            except Exception as error:  # any failure of the store: kept, reported, mended by sync
                problem = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
            self._hurry.wait(delay)
        return problem or "not tried: interrupted"


def sync(store: MlflowStore, journal: Journal, tags: Mapping[str, str]) -> tuple[int, dict[str, str]]:
    """Log every entry of the journal that has no complete run yet: (how many, what failed)."""
    complete = {cell_id for cell_id, done in store.find_runs().items() if done}
    missing = [e for e in journal.entries.values() if e.cell_id not in complete]
    mirror = Mirror(store, journal, tags)
    for entry in missing:
        mirror.add(entry)
    unsynced = mirror.close()
    return len(missing) - len(unsynced), unsynced
