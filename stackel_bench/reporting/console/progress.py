"""Live progress of a sweep: cells, samples, time left, and on long cells every leader action."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from stackel_bench.execution.runs import Piece
from stackel_bench.results.entry import Entry
from stackel_bench.results.numbers import about, count, duration
from stackel_bench.text import plural
from stackel_bench.trials.programs import RunSoFar
from stackel_bench.trials.trial import Trial

_LINE_SECONDS = 10.0  # between lines where there is no terminal to draw on ...
_SILENT_SECONDS = 30.0  # ... and after which one comes although no piece of work has come back
_SHOWN_ACTIONS = 8


class SweepProgress:
    """A bar on a terminal, a line now and then elsewhere; use as a context manager.

    Time left is what the finished pieces of work teach about those that nobody has begun.
    """

    def __init__(self, console: Console, cells: int, workers: int, quiet: bool, seconds: float = 0.0) -> None:
        self._console, self._cells, self._workers = console, cells, workers
        self._live = console.is_terminal and not quiet
        self._done = self._failed = self._samples = 0
        self._last_line = time.monotonic()
        self._counted: dict[int, Counter[int | None]] = {}  # by trial: replicates explored per unit, decided
        self._runs: dict[tuple[int, int], str] = {}  # by trial and leader action: a program's run in work
        self._detail = "the first piece is being computed"
        self._end = time.monotonic() + seconds / workers if seconds else 0.0
        self._over = threading.Event()
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("cells · {task.fields[detail]}"),
            _TimeLeft(self),
            console=console,
            transient=True,
            disable=not self._live,
        )
        self._task = self._bar.add_task(plural(workers, "worker"), total=cells, detail=self._detail)

    def __enter__(self) -> SweepProgress:
        self._bar.start()
        if not self._live:
            threading.Thread(target=self._break_silence, name="progress", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._bar.stop()

    def _break_silence(self) -> None:
        """Say now and then how things are while a long piece of work is computed."""
        while not self._over.wait(1.0):
            if time.monotonic() - self._last_line > _SILENT_SECONDS:
                self._print_line()

    def work_done(self, trial: Trial, piece: Piece, seconds_left: float) -> None:
        """Count a piece of a trial."""
        if piece.unit is not None:
            self._runs.pop((id(trial), piece.unit), None)
        counted = self._counted.setdefault(id(trial), Counter())
        counted[piece.unit] += len(trial.assignment.replicates_in(piece.blocks))
        self._detail = _what_is_done(trial, counted)
        explored = sum(counted.values()) - counted[None] if len(counted) > 1 else counted[None]
        whole = trial.replicates * (trial.schedule.units if len(counted) > 1 else 1)
        self._show(seconds_left, min(explored / whole, 0.99))

    def run_grew(self, trial: Trial, run: RunSoFar, seconds_left: float) -> None:
        """Say how far the run of a leader action is."""
        self._runs[id(trial), run.unit] = _how_far(run)
        runs = [text for (owner, _), text in self._runs.items() if owner == id(trial)]
        self._detail = f"{trial.game.name} {' | '.join(runs[-_SHOWN_ACTIONS:])}"
        self._show(seconds_left)

    def cells_done(self, entries: Sequence[Entry], samples: int, seconds_left: float) -> None:
        """Count cells."""
        self._done += len(entries)
        self._failed += sum(entry.state == "failed" for entry in entries)
        self._samples += samples
        self._detail = ""
        self._show(seconds_left)

    @property
    def time_left(self) -> str:
        """What is left by the clock, from the last estimate on."""
        return f"{about(max(0.0, self._end - time.monotonic()))} left" if self._end else ""

    def _show(self, seconds_left: float, share: float = 0.0) -> None:
        """Show what is done; share is how much of the cell in work."""
        now = time.monotonic()
        self._end = now + seconds_left / self._workers
        self._bar.update(self._task, completed=self._done + share, detail=" · ".join(self._parts))
        if not self._live and (now - self._last_line > _LINE_SECONDS or self._done == self._cells):
            self._print_line()

    @property
    def _parts(self) -> list[str]:
        counted = f"{count(self._samples)} samples" if self._samples else ""
        failed = f"{self._failed} failed" if self._failed else ""
        return [part for part in (counted, failed, self._detail) if part]

    def _print_line(self) -> None:
        self._last_line = time.monotonic()
        cells = f"{self._done}/{plural(self._cells, 'cell')} · {self._cells - self._done} left"
        left = self.time_left if self._done < self._cells else ""
        parts = [cells, *self._parts, *filter(None, [left]), plural(self._workers, "worker")]
        self._console.print(" · ".join(parts), markup=False)


class _TimeLeft(ProgressColumn):
    """Counts down between two pieces of work."""

    def __init__(self, progress: SweepProgress) -> None:
        super().__init__()
        self._progress = progress

    def render(self, task: Task) -> Text:
        """The time left."""
        return Text(self._progress.time_left)


def _how_far(run: RunSoFar) -> str:
    """Episodes, how fast they come, what they certify, when the run will end."""
    certified = {action: f", certificate {found:.3g}" for action, found in run.certificates.items()}
    planned = "" if run.planned is None or len(run.by_action) > 1 else f" of {run.planned}"
    left = "" if run.seconds_left is None else f", {duration(run.seconds_left)} left"
    each = [f"a{a} {samples}{planned}{certified.get(a, '')}" for a, samples in sorted(run.by_action.items())]
    return f"r{run.replicate} {' '.join(each[:_SHOWN_ACTIONS])} ({run.per_second:.3g}/s{left})"


def _what_is_done(trial: Trial, counted: Counter[int | None]) -> str:
    """How many replicates are explored, leader action by leader action where these are jobs of their own."""
    if set(counted) == {None}:
        return f"{trial.game.name} {counted[None]} of {plural(trial.replicates, 'replicate')}"
    each = [counted[unit] for unit in range(trial.schedule.units)]
    if len(each) == 1:
        done = f"{each[0]}"
    elif len(each) > _SHOWN_ACTIONS:
        done = f"{min(each)} to {max(each)}, by each of {len(each)} leader actions"
    else:
        done = " ".join(f"a{unit}:{number}" for unit, number in enumerate(each))
    return f"{trial.game.name} explored, of {plural(trial.replicates, 'replicate')}: {done}"
