"""Where tasks run: the interface, and the serial twin that runs them in this process."""

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from stackel_bench.trials.trial import Failure

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Task = Any  # what submit and put return; may be an argument of later tasks


class ClusterLostError(RuntimeError):
    """Where tasks run is gone as a whole: no fault of any task, and none that was submitted will end."""


@dataclass(frozen=True)
class Finished:
    """A task that ended, how long it kept a worker busy, and why it failed if it did."""

    task: Task
    seconds: float
    failure: Failure | None = None
    worker_lost: bool = False


class Executor(Protocol):
    """Submits plain functions; tasks end in any order, and results stay where they are until asked for."""

    @property
    def workers(self) -> int:
        """How many tasks run at the same time."""

    @property
    def place(self) -> str:
        """Where tasks run, for the screen."""

    def wait_until_ready(self) -> None:
        """Return when workers have started, where that takes a while."""

    def put(self, value: Any) -> Task:
        """A value that many tasks take as argument, stored once."""

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any) -> Task:
        """Start a task under this name; arguments may be earlier tasks, whose results are meant."""

    def clock(self) -> float:
        """Seconds that have passed where tasks run, since whenever."""

    def next_finished(self, tasks: Collection[Task]) -> list[Finished]:
        """Those of these tasks that have ended, once there is one; a ClusterLostError if none will."""

    def value(self, task: Task) -> Any:
        """The result of a task that ended without failure."""

    def shutdown(self) -> None:
        """Stop everything that was started."""


@dataclass(eq=False)
class _SerialTask:
    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    value: Any = None


@contextlib.contextmanager
def _interrupts_deferred() -> Iterator[None]:
    """Ctrl-C and its like wait for the end of the block; a second one does not.

    Compiled code that an exception interrupts at the wrong moment takes the whole process with it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = {number: signal.getsignal(number) for number in _INTERRUPTS}
    asked = False

    def restore() -> None:
        for number, handler in usual.items():
            signal.signal(number, handler)

    def remember(*_: object) -> None:
        nonlocal asked
        asked = True
        restore()

    for number, handler in usual.items():
        if callable(handler):  # not ignored
            signal.signal(number, remember)
    try:
        yield
    finally:
        restore()
    if asked:
        raise KeyboardInterrupt


class SerialExecutor:
    """Runs each task in this process when its end is waited for, in order of submission."""

    workers = 1
    place = "in this process"

    def wait_until_ready(self) -> None:
        """At once."""

    def put(self, value: Any) -> Task:
        """The value itself."""
        return value

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any) -> Task:
        """Remember the task."""
        return _SerialTask(name, function, arguments)

    def clock(self) -> float:
        """This machine's."""
        return time.perf_counter()

    def next_finished(self, tasks: Collection[Task]) -> list[Finished]:
        """Run the oldest task."""
        task = next(iter(tasks))
        start = time.perf_counter()
        failure = None
        with _interrupts_deferred():
            try:
                task.value = task.function(*map(self.value, task.arguments))
            except (Exception, SystemExit) as error:  # becomes the failure of this task's trial
                failure = Failure.of(error)
        return [Finished(task, time.perf_counter() - start, failure)]

    def value(self, task: Task) -> Any:
        """What the task returned; a plain value is itself."""
        return task.value if isinstance(task, _SerialTask) else task

    def shutdown(self) -> None:
        """Nothing to stop."""
