"""Live progress of a sweep: cells, samples, time left, and on long cells every leader action."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from stackel_bench.execution.jobs import Piece
from stackel_bench.results.entry import Entry
from stackel_bench.trials.trial import Trial

_LINE_SECONDS = 10.0  # between lines where there is no terminal to draw on
_SHOWN_ACTIONS = 8


class SweepProgress:
    """A bar on a terminal, a line now and then elsewhere; use as a context manager.

    Time left is what the finished pieces of work teach about those that nobody has begun.
    """

    def __init__(self, console: Console, cells: int, workers: int, quiet: bool) -> None:
        self._console, self._cells, self._workers = console, cells, workers
        self._live = console.is_terminal and not quiet
        self._done = self._failed = self._samples = 0
        self._last_line = time.monotonic()
        self._counted: dict[int, Counter[int | None]] = {}  # by trial: replicates explored per unit, decided
        self._detail = ""
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("cells · {task.fields[detail]}"),
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

    def work_done(self, trial: Trial, piece: Piece, seconds_left: float) -> None:
        """Count a piece of a trial."""
        counted = self._counted.setdefault(id(trial), Counter())
        counted[piece.unit] += len(trial.assignment.replicates_in(piece.blocks))
        self._detail = _what_is_done(trial, counted)
        self._show(seconds_left)

    def cells_done(self, entries: Sequence[Entry], samples: int, seconds_left: float) -> None:
        """Count cells."""
        self._done += len(entries)
        self._failed += sum(entry.state == "failed" for entry in entries)
        self._samples += samples
        self._detail = ""
        self._show(seconds_left)

    def _show(self, seconds_left: float) -> None:
        counted = f"{self._samples:.2g} samples" + (f" · {self._failed} failed" if self._failed else "")
        left = f"about {seconds_left / self._workers:.0f} s left"
        parts = [part for part in (counted, self._detail, left) if part]
        self._bar.update(self._task, completed=self._done, detail=" · ".join(parts))
        now = time.monotonic()
        if not self._live and (now - self._last_line > _LINE_SECONDS or self._done == self._cells):
            self._last_line = now
            cells = f"{self._done}/{self._cells} cells · {self._cells - self._done} left"
            self._console.print(f"{cells} · {' · '.join(parts)} · {self._workers} workers", markup=False)


def _what_is_done(trial: Trial, counted: Counter[int | None]) -> str:
    """How many replicates are explored, leader action by leader action where these are jobs of their own."""
    if set(counted) == {None}:
        return f"{trial.game.name} {counted[None]} of {trial.replicates} replicates"
    units = trial.schedule.units
    shown = " ".join(f"a{unit}:{counted[unit]}" for unit in range(min(units, _SHOWN_ACTIONS)))
    more = " ..." if units > _SHOWN_ACTIONS else ""
    return f"{trial.game.name} explored of {trial.replicates}: {shown}{more}"
