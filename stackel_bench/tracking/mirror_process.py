"""A store and its mirror in a process of their own: computing and logging share no interpreter.

The driver says which cells are in the journal, and the process reads the rest from the journal's folder.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass
from multiprocessing.connection import Pipe
from pathlib import Path
from typing import Any, cast

from stackel_bench.config.settings import TrackingSettings
from stackel_bench.results.entry import Entry
from stackel_bench.tracking.run_record import StoreError, problem_of
from stackel_bench.trials.programs import RunSoFar

_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from stackel_bench.tracking.mirror_service import serve
serve(int(sys.argv[2]))
"""
_TELL_SECONDS = 10.0
_END_SECONDS = 5.0  # that the process has to end by itself


@dataclass(frozen=True)
class Place:
    """What is mirrored, and where to."""

    config: TrackingSettings
    output: Path
    experiment: str
    folder: Path  # of the journal
    tags: Mapping[str, str]


class MirrorProcess:
    """The driver's end: the calls of a Mirror, and the store, whose calls are made over there."""

    def __init__(self, place: Place, missing: Collection[str]) -> None:
        """Start it; `opening` tells the experiment's id, and which of these cells the store has complete.

        What the journal has and the store lacks is logged from then on.
        """
        self._connection, theirs = Pipe()
        path = json.dumps([os.path.abspath(folder) for folder in sys.path])
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, path, str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C is the driver's to handle
        )
        self.pid = self._process.pid
        theirs.close()
        self._sending = threading.Lock()
        self._numbers = itertools.count(1)
        self._asked: dict[int, Future[Any]] = {}
        self._added: set[str] = set()
        threading.Thread(target=self._receive, name="mlflow-answers", daemon=True).start()
        self.opening: Future[tuple[str, set[str]]] = self.ask("open", place, missing)

    def grow(self, entry: Entry, run: RunSoFar) -> None:
        """Show soon how far a program is, in the run that its cell will have."""
        self._tell("mirror.grow", entry, run)

    def add(self, cell_ids: Collection[str]) -> None:
        """Log these cells, which are in the journal, soon."""
        self._added.update(cell_ids)
        self._tell("add", cell_ids)

    def add_known(self, cell_ids: Collection[str]) -> None:
        """Remember that the store has these cells, because they came from there."""
        self._tell("mirror.add_known", *cell_ids)

    def close(self, patience: float, tell: Callable[[int], None]) -> dict[str, str]:
        """What could not be logged, as Mirror.close; tells now and then how many entries are left."""
        try:
            closing = self.ask("mirror.close", patience)
            while not wait([closing], _TELL_SECONDS).done:
                if left := self.ask("left").result():
                    tell(left)
            return cast("dict[str, str]", closing.result())
        except StoreError as error:
            return dict.fromkeys(self._added, problem_of(error))

    def abandon(self) -> dict[str, str]:
        """Stop after the entry that is being logged; what was not logged."""
        try:
            return cast("dict[str, str]", self.ask("mirror.abandon").result(_END_SECONDS))
        except (StoreError, TimeoutError) as error:
            return dict.fromkeys(self._added, problem_of(error))

    def end(self) -> None:
        """Nothing more will be asked."""
        self._tell("end")
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:  # it is stuck in a call to a store
            self._process.kill()
            self._process.wait()

    def ask(self, name: str, *arguments: Any) -> Future[Any]:
        """What a method over there returns; a StoreError if it fails."""
        number, future = next(self._numbers), Future[Any]()
        self._asked[number] = future
        try:
            with self._sending:
                self._connection.send((number, name, arguments))
        except OSError:
            self._ended()
        return future

    def _tell(self, name: str, *arguments: Any) -> None:
        with contextlib.suppress(OSError), self._sending:  # if it has ended, close says so
            self._connection.send((0, name, arguments))

    def _receive(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                number, error, found = self._connection.recv()
                future = self._asked.pop(number)
                if error is None:
                    future.set_result(found)
                else:
                    future.set_exception(error)
        self._ended()

    def _ended(self) -> None:
        while self._asked:
            with contextlib.suppress(KeyError):
                _, future = self._asked.popitem()
                future.set_exception(StoreError("the process that talks to MLflow has ended"))


class RemoteStore:
    """The methods of the process's MlflowStore."""

    def __init__(self, process: MirrorProcess, experiment_id: str) -> None:
        self._process, self.experiment_id = process, experiment_id

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *arguments: self._process.ask(f"store.{name}", *arguments).result()
