"""The user's screen: a console that only we write to, whatever libraries print meanwhile."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console


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
    try:
        with os.fdopen(os.dup(1), "w", encoding="utf-8") as real:
            os.dup2(target, 1)
            os.dup2(target, 2)
            yield Console(file=real, highlight=False, soft_wrap=True)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(saved[0], 1)
        os.dup2(saved[1], 2)
        for descriptor in (*saved, target):
            os.close(descriptor)
