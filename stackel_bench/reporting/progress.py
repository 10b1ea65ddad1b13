"""Live progress of a sweep: cells done, failed and left, samples, time left."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from stackel_bench.results.entry import Entry

_LINE_SECONDS = 10.0  # between lines where there is no terminal to draw on


class SweepProgress:
    """A bar on a terminal, a line now and then elsewhere; use as a context manager."""

    def __init__(self, console: Console, cells: int, workers: int, quiet: bool) -> None:
        self._console, self._cells, self._workers = console, cells, workers
        self._live = console.is_terminal and not quiet
        self._done = self._failed = self._samples = 0
        self._last_line = time.monotonic()
        self._first_done = 0.0  # before that, workers were starting: no measure of what is to come
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("cells · {task.fields[detail]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not self._live,
        )
        self._task = self._bar.add_task(f"{workers} workers", total=cells, detail="")

    def __enter__(self) -> SweepProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def cell_done(self, entry: Entry, samples: int) -> None:
        """Count a cell."""
        self._done += 1
        self._failed += entry.state == "failed"
        self._samples += samples
        detail = f"{self._samples:.2g} samples" + (f" · {self._failed} failed" if self._failed else "")
        self._bar.update(self._task, completed=self._done, detail=detail)
        now = time.monotonic()
        self._first_done = self._first_done or now
        if not self._live and (now - self._last_line > _LINE_SECONDS or self._done == self._cells):
            self._last_line = now
            left = (now - self._first_done) / max(1, self._done - 1) * (self._cells - self._done)
            about = f"about {left:.0f} s left" if self._done > 1 else "just started"
            self._console.print(
                f"{self._done}/{self._cells} cells · {self._cells - self._done} left · {detail} · "
                f"{self._workers} workers · {about}"
            )
