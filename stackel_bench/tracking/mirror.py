"""Mirrors journal entries to MLflow from a background thread, so that computing never waits for logging."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

from stackel_bench.results.entry import FAILED, FINISHED, Entry
from stackel_bench.results.journal import Journal
from stackel_bench.tracking.cell_run import KIND, cell_run, expected_artifacts
from stackel_bench.tracking.growing_runs import GrowingRuns
from stackel_bench.tracking.run_record import RunRecord, problem_of
from stackel_bench.trials.programs import RunSoFar

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore
import hashlib
from pathlib import Path

from stackel_bench.results import files

_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)  # seconds after so many failures in a row; the last one repeats
_CALL_SECONDS = 45.0  # longer than any single call to a store that does not answer
_MOST_AT_ONCE = 256


class Mirror:
    """Takes entries in any order, logs each one once; what could not be logged is kept and counted.

    A store that fails is asked again and again, ever more rarely, with the next entry in turn: one entry
    that a store refuses does not stand in the way of the others, and a server that comes back gets all.
    """

    def __init__(self, store: MlflowStore, journal: Journal, tags: Mapping[str, str]) -> None:
        self._store, self._journal, self._tags = store, journal, tags
        self._ledger = Ledger(journal.folder, store.identity)
        self._waiting: deque[Entry] = deque()
        self._growing = GrowingRuns(store, tags)
        self._problems: dict[str, str] = {}  # cell id -> why it could not be logged so far
        self._written: set[str] = set()  # by this mirror
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

    def grow(self, entry: Entry, run: RunSoFar) -> None:
        """Show soon how far a program is, in the run that its cell will have."""
        with self._changed:
            self._growing.add(entry, run)
            self._changed.notify()

    def add(self, entry: Entry) -> None:
        """Log this entry soon."""
        with self._changed:
            self._growing.forget(entry.cell_id)
            self._waiting.append(entry)
            self._changed.notify()

    def add_known(self, *cell_ids: str) -> None:
        """Remember that the store has these cells, because they came from there."""
        self._ledger.add(*cell_ids)

    @property
    def left(self) -> int:
        """How many entries are waiting."""
        return len(self._waiting)

    def close(self, patience: float) -> dict[str, str]:
        """What could not be logged, with the reason, once nothing is waiting any more.

        Gives up when the store has failed for so many seconds (patience) without a break.
        """
        with self._changed:
            self._closing = True
            self._patience = patience
            self._deadline = time.monotonic() + patience
            self._changed.notify()
        while self._thread.is_alive():
            self._thread.join(0.5)
            if time.monotonic() > self._deadline + _CALL_SECONDS:  # a call that never returns
                break
        with self._changed:
            left = {entry.cell_id: "MLflow did not answer" for entry in self._waiting} | self._problems
        return left or self._settle()

    def _settle(self) -> dict[str, str]:
        """Delete what other drivers logged as well; of no cell is it known to be there once if that fails."""
        until, pauses = time.monotonic() + self._patience, iter(_PAUSES)
        while self._written:
            try:
                self._store.settle(KIND, self._written)
            except Exception as error:  # mended by sync
                if time.monotonic() > until:
                    return dict.fromkeys(self._written, problem_of(error))
                time.sleep(next(pauses, _PAUSES[-1]))
            else:
                break
        return {}

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
        failures = 0
        logged_before: dict[str, int] = {}  # at an entry's last failure
        while (entries := self._next(failures)) is not None:
            if not self._closing:
                self._growing.show()
            if not entries:
                continue
            problems = self._log(entries)
            self._growing.finished({entry.cell_id for entry in entries} - problems.keys())
            with self._changed:
                failures = 0 if len(problems) < len(entries) else failures + 1
                logged = len(self._written)
                for entry in entries:
                    self._problems.pop(entry.cell_id, None)
                    if entry.cell_id in problems:
                        self._problems[entry.cell_id] = problems[entry.cell_id]
                        if logged_before.get(entry.cell_id, logged) == logged:  # otherwise others went well
                            self._waiting.append(entry)
                        logged_before[entry.cell_id] = logged
                if not failures and self._closing and self._deadline:
                    self._deadline = time.monotonic() + self._patience
        self._growing.stop()

    def _next(self, failures: int) -> list[Entry] | None:
        """What to log now, after a pause if the store has been failing; None when all is over."""
        pause = _PAUSES[min(failures, len(_PAUSES)) - 1] if failures else 0.0
        until = time.monotonic() + pause
        most = 1 if failures else _MOST_AT_ONCE
        with self._changed:
            while True:
                now = time.monotonic()
                if now > self._deadline and failures:
                    return None
                if self._waiting and now >= until:
                    return [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]
                if self._closing and not self._waiting:
                    return None
                if self._growing.waits and now >= until:
                    return []
                waits = self._waiting or self._growing.waits
                self._changed.wait(min(until, self._deadline) - now if waits else None)

    def _log(self, entries: list[Entry]) -> dict[str, str]:
        """Why some of them failed, by cell id."""
        problems: dict[str, str] = {}
        records = []
        try:
            for entry in entries:
                try:
                    records.append(self._record(entry))
                except Exception as error:  # of this entry alone: tables that cannot be read
                    problems[entry.cell_id] = problem_of(error)
            problems |= self._store.write(records)
            done = [entry for entry in entries if entry.cell_id not in problems]
            self._written |= {entry.cell_id for entry in done}
            self._ledger.add(*(entry.cell_id for entry in done if entry.state == FINISHED))
        except Exception as error:  # any failure of the store: kept, reported, mended by sync
            problems = {entry.cell_id: problem_of(error) for entry in entries}
        return problems

    def _record(self, entry: Entry) -> RunRecord:
        if entry.state != FINISHED:
            return cell_run(entry, self._tags)
        journal, cell_id = self._journal, entry.cell_id
        tables = journal.records_bytes(cell_id), journal.actions_bytes(cell_id)
        return cell_run(entry, self._tags, *tables, self._store.experiment_id)


def lacking_artifacts(store: MlflowStore, journal: Journal) -> set[str]:
    """Finished cells of the journal whose runs, as far as the store knows them, lack artifacts."""
    heads = {cell_id: journal.entries.head(cell_id) for cell_id in journal.entries}
    return store.lacking({i: expected_artifacts(head) for i, head in heads.items() if head is not None})


def sync(
    store: MlflowStore, journal: Journal, tags: Mapping[str, str], patience: float
) -> tuple[int, dict[str, str]]:
    """Log every entry of the journal that the store itself does not have complete: (how many, what failed).

    Afterwards every cell has one run, also where others had logged it twice.
    """
    complete = {cell_id for cell_id, done in store.find_runs().items() if done}
    complete -= lacking_artifacts(store, journal)
    mirror = Mirror(store, journal, tags)
    missing = [journal.entries[cell_id] for cell_id in journal.entries if cell_id not in complete]
    for entry in missing:
        mirror.add(entry)
    unsynced = mirror.close(patience)
    if not unsynced:
        store.settle(KIND, set(journal.entries))
    return len(missing) - len(unsynced), unsynced


class Ledger:
    """One file per store, one cell id per line; a torn line is an id that is asked for again."""

    def __init__(self, folder: Path, store_identity: str) -> None:
        digest = hashlib.sha256(store_identity.encode()).hexdigest()[:12]
        self._path = folder / files.ledger(digest)
        text = self._path.read_text("utf-8", "replace") if self._path.exists() else ""
        self._torn = bool(text) and not text.endswith("\n")
        self.cell_ids = {line for line in text.split("\n")[:-1] if line}

    def add(self, *cell_ids: str) -> None:
        """Remember that the runs of these cells are complete."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(("\n" if self._torn else "") + "".join(f"{cell_id}\n" for cell_id in cell_ids))
        self._torn = False
        self.cell_ids.update(cell_ids)
