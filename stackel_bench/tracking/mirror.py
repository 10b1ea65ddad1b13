"""Mirrors journal entries to MLflow from a background thread, so that computing never waits for logging."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from stackel_bench.results.entry import FAILED, FINISHED, Entry
from stackel_bench.results.journal import Journal
from stackel_bench.tracking.ledger import Ledger

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore

_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)  # seconds after so many failures in a row; the last one repeats
_TELL_SECONDS = 10.0
_CALL_SECONDS = 45.0  # longer than any single call to a store that does not answer


class Mirror:
    """Takes entries in any order, logs each one once; what could not be logged is kept and counted.

    A store that fails is asked again and again, ever more rarely, with the next entry in turn: one entry
    that a store refuses does not stand in the way of the others, and a server that comes back gets all.
    """

    def __init__(self, store: MlflowStore, journal: Journal, tags: Mapping[str, str]) -> None:
        self._store, self._journal, self._tags = store, journal, tags
        self._ledger = Ledger(journal.folder, store.identity)
        self._waiting: deque[Entry] = deque()
        self._problems: dict[str, str] = {}  # cell id -> why it could not be logged so far
        self._changed = threading.Condition()
        self._closing = False
        self._patience = 0.0
        self._deadline = float("inf")  # of an uninterrupted series of failures, once closing
        self._thread = threading.Thread(target=self._work, name="mlflow-mirror", daemon=True)
        self._thread.start()

    def unmirrored(self) -> list[Entry]:
        """Entries of the journal that are not known to be complete in the store."""
        journal, known = self._journal, self._ledger.cell_ids
        return [journal.entries[i] for i in journal.entries if journal.state(i) == FAILED or i not in known]

    def add(self, entry: Entry) -> None:
        """Log this entry soon."""
        with self._changed:
            self._waiting.append(entry)
            self._changed.notify()

    def add_known(self, cell_id: str) -> None:
        """Remember that the store has this cell, because it came from there."""
        self._ledger.add(cell_id)

    def close(self, patience: float, tell: Callable[[int], None] = lambda left: None) -> dict[str, str]:
        """What could not be logged, with the reason, once nothing is waiting any more.

        Gives up when the store has failed for so many seconds (patience) without a break; tells now and then
        how many entries are left.
        """
        with self._changed:
            self._closing = True
            self._patience = patience
            self._deadline = time.monotonic() + patience
            self._changed.notify()
        told = time.monotonic()
        while self._thread.is_alive():
            self._thread.join(0.5)
            if time.monotonic() > told + _TELL_SECONDS and self._waiting:
                told = time.monotonic()
                tell(len(self._waiting))
            if time.monotonic() > self._deadline + _CALL_SECONDS:  # a call that never returns
                break
        with self._changed:
            left = {entry.cell_id: "MLflow did not answer" for entry in self._waiting}
            return left | self._problems

    def abandon(self) -> dict[str, str]:
        """Stop after the entry that is being logged; what was not logged."""
        with self._changed:
            self._closing = True
            left = {entry.cell_id: "left for later" for entry in self._waiting}
            self._waiting.clear()
            self._deadline = 0.0
            self._changed.notify()
        self._thread.join(timeout=3)
        return left | self._problems

    def _work(self) -> None:
        failures = logged = 0
        logged_before: dict[str, int] = {}  # at an entry's last failure
        while (entry := self._next(failures)) is not None:
            problem = self._log(entry)
            with self._changed:
                if problem:
                    failures += 1
                    self._problems[entry.cell_id] = problem
                    if logged_before.get(entry.cell_id, logged) == logged:  # otherwise others went well
                        self._waiting.append(entry)
                    logged_before[entry.cell_id] = logged
                else:
                    failures = 0
                    logged += 1
                    self._problems.pop(entry.cell_id, None)
                    if self._closing and self._deadline:
                        self._deadline = time.monotonic() + self._patience

    def _next(self, failures: int) -> Entry | None:
        """The entry to log now, after a pause if the store has been failing; None when all is over."""
        pause = _PAUSES[min(failures, len(_PAUSES)) - 1] if failures else 0.0
        until = time.monotonic() + pause
        with self._changed:
            while True:
                now = time.monotonic()
                if now > self._deadline and failures:
                    return None
                if self._waiting and now >= until:
                    return self._waiting.popleft()
                if self._closing and not self._waiting:
                    return None
                self._changed.wait(min(until, self._deadline) - now if self._waiting else None)

    def _log(self, entry: Entry) -> str:
        """Why it failed, or nothing."""
        try:
            finished = entry.state == FINISHED
            records = self._journal.records_bytes(entry.cell_id) if finished else None
            actions = self._journal.actions_bytes(entry.cell_id) if finished else None
            self._store.log_cell(entry, self._tags, records, actions)
            if finished:
                self._ledger.add(entry.cell_id)
        except Exception as error:  # any failure of the store: kept, reported, mended by sync
            return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        return ""


def sync(
    store: MlflowStore, journal: Journal, tags: Mapping[str, str], patience: float
) -> tuple[int, dict[str, str]]:
    """Log every entry of the journal that the store itself does not have: (how many, what failed)."""
    complete = {cell_id for cell_id, done in store.find_runs().items() if done}
    mirror = Mirror(store, journal, tags)
    missing = [journal.entries[cell_id] for cell_id in journal.entries if cell_id not in complete]
    for entry in missing:
        mirror.add(entry)
    unsynced = mirror.close(patience)
    return len(missing) - len(unsynced), unsynced
