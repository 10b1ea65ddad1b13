"""The user's screen: a console that only we write to, whatever libraries print meanwhile."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, cast

from rich.console import Console

LOG_WIDTH = 100  # columns where the output is not a terminal


class _Screen:
    """The real output; a terminal or reader that has gone away does not stop the work."""

    def __init__(self, real: TextIO) -> None:
        self._real = real
        self.encoding = "utf-8"

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._real.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._real.flush()

    def isatty(self) -> bool:
        return self._real.isatty()

    def fileno(self) -> int:
        return self._real.fileno()


@contextlib.contextmanager
def reserved_screen(log: Path | None) -> Iterator[Console]:
    """A console on the real stdout, while everything else printed by this process goes to the log file.

    Done on file descriptors, because Ray also prints from C++ and from threads of its own.
    """
    if log is None:
        yield Console(highlight=False, soft_wrap=True)
        return
    sys.stdout.flush()
    sys.stderr.flush()
    log.parent.mkdir(parents=True, exist_ok=True)
    saved = os.dup(1), os.dup(2)
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    real = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    screen = _Screen(real)
    try:
        os.dup2(target, 1)
        os.dup2(target, 2)
        yield Console(
            file=cast(TextIO, screen),
            width=None if real.isatty() else LOG_WIDTH,
            highlight=False,
            soft_wrap=True,
        )
        screen.flush()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError):  # a full disk must not hide the reason why we stop
                stream.flush()
        with contextlib.suppress(OSError):
            real.close()
        os.dup2(saved[0], 1)
        os.dup2(saved[1], 2)
        for descriptor in (*saved, target):
            os.close(descriptor)
