"""Somebody's code that may hang: interrupted after some seconds."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_TICKS = 4  # looks at the clock while the code may go on
expendable = False  # whether somebody goes on where this process is ended: true in workers


class TooLongError(BaseException):
    """It takes too long; no `except Exception` of that code catches it."""


@contextlib.contextmanager
def in_time(seconds: float | None) -> Iterator[Callable[[], None]]:
    """A TooLongError if more seconds than that pass between two calls of what it yields; None: never.

    By a signal now and then, which reaches Python code, sleeps and most waits; in the main thread, where
    tasks run. An expendable process that computes on, in compiled code that hears no signal, is ended.
    """
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    ticks, deaf = 0, 2 * seconds * (os.cpu_count() or 1)  # it may compute in several threads

    def again() -> None:
        nonlocal ticks
        ticks = 0

    def tick(number: int, frame: FrameType | None) -> None:
        nonlocal ticks
        ticks += 1
        end_after(deaf)
        if ticks > _TICKS:
            raise TooLongError

    def end_after(processor_seconds: float) -> None:
        if expendable:
            signal.setitimer(signal.ITIMER_PROF, processor_seconds)  # SIGPROF, which nobody handles

    usual = signal.signal(signal.SIGALRM, tick)
    try:
        end_after(deaf)
        signal.setitimer(signal.ITIMER_REAL, seconds / _TICKS, seconds / _TICKS)
        yield again
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        end_after(0)
        signal.signal(signal.SIGALRM, usual)
