"""What runs in the mirror's process: does what the driver asks for, and ends with it.

Whatever it was writing when the driver died is complete or absent, as ever.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import operator
import os
import threading
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stackel_bench.errors import InputError
from stackel_bench.results.journal import Journal
from stackel_bench.tracking.mirror import Mirror, lacking_artifacts
from stackel_bench.tracking.run_record import StoreError, problem_of
from stackel_bench.tracking.start import open_store

if TYPE_CHECKING:
    from stackel_bench.tracking.mirror_process import Place
    from stackel_bench.tracking.mlflow_store import MlflowStore

_NICE = 10  # once the driver need not wait for it: workers come first


class _Service:
    """The process's end."""

    store: MlflowStore
    mirror: Mirror

    def open(self, place: Place, missing: Iterable[str]) -> tuple[str, set[str]]:
        store = open_store(place.config, place.output, place.experiment)
        journal = Journal(place.folder)
        mirror = Mirror(store, journal, place.tags)
        self.store, self.mirror, self._journal = store, mirror, journal
        unmirrored = {entry.cell_id for entry in mirror.unmirrored()}
        if store.is_embedded:  # where looking is cheap
            store.find_runs()
            unmirrored |= lacking_artifacts(store, journal)
        found = store.find_runs(unmirrored | set(missing))
        self.add([cell_id for cell_id in journal.entries if cell_id in unmirrored])
        _step_back()
        return store.experiment_id, {cell_id for cell_id, done in found.items() if done}

    def add(self, cell_ids: Iterable[str]) -> None:
        self._journal.read_on()
        for cell_id in cell_ids:
            self.mirror.add(self._journal.entries[cell_id])

    def left(self) -> int:
        return self.mirror.left

    def end(self) -> None:
        os._exit(0)


def _step_back() -> None:
    """Let workers come first. A session has a priority of its own on Linux, and Ray's workers have theirs."""
    os.nice(_NICE)
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(_NICE))


def serve(descriptor: int) -> None:
    """Do what the driver asks for at the other end of the connection, until it ends or says so."""
    gc.set_threshold(50_000, 20, 50)  # as in the driver: entries are no garbage
    connection, sending, service = Connection(descriptor), threading.Lock(), _Service()

    def answer(number: int, call: Callable[[], Any]) -> None:
        error: Exception | None = None
        found = None
        try:
            found = call()
        except InputError as problem:
            error = problem
        except Exception as problem:  # its class may be unknown to the driver
            error = StoreError(problem_of(problem))
        with sending:
            connection.send((number, error, found))

    while True:
        try:
            number, name, arguments = connection.recv()
        except (EOFError, OSError):  # the driver has died
            service.end()
        call = functools.partial(operator.attrgetter(name)(service), *arguments)
        if number:  # several at a time: fetches, and what ends a close that waits
            threading.Thread(target=answer, args=(number, call), daemon=True).start()
        else:
            call()
