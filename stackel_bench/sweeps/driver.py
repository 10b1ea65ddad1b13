"""Runs cells: schedules their trials, writes the journal, feeds the mirror, tells a listener."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import pandas as pd

from stackel_bench import streams
from stackel_bench.execution.executor import Executor
from stackel_bench.execution.jobs import Piece
from stackel_bench.execution.scheduler import Progress, Result, Scheduler
from stackel_bench.models import TieBreaking
from stackel_bench.results import files
from stackel_bench.results.entry import FAILED, FINISHED, Entry
from stackel_bench.results.journal import Journal
from stackel_bench.sweeps.cell import Cell
from stackel_bench.sweeps.kept_pieces import KeptPieces
from stackel_bench.sweeps.plan import Plan
from stackel_bench.tracking.mirror import Mirror
from stackel_bench.trials.trial import Failure, Outcomes, Trial


class Listener(Protocol):
    """Hears of every piece of work as it comes back, and of every cell as soon as it is in the journal."""

    def work_done(self, trial: Trial, piece: Piece, seconds_left: float) -> None:
        """A piece of a trial came back; so many seconds of work on one worker are not begun."""

    def cells_done(self, entries: Sequence[Entry], samples: int, seconds_left: float) -> None:
        """Cells finished or failed; samples were newly drawn for them."""


@dataclass
class Tally:
    """What one invocation did."""

    finished: int = 0
    failed: int = 0
    reused: int = 0
    samples: int = 0
    tasks: int = 0
    pieces_restored: int = 0  # of trials that an earlier invocation did not finish
    wall_seconds: float = 0.0
    busy_seconds: float = 0.0
    capacity_seconds: float = 0.0  # workers x time, workers that came and went included
    workers: int = 1
    unsynced: dict[str, str] = field(default_factory=dict)

    def count(self, entries: Sequence[Entry], samples: int) -> None:
        """Add cells that finished or failed, and the samples that were drawn for them."""
        failed = sum(entry.state == FAILED for entry in entries)
        self.failed += failed
        self.finished += len(entries) - failed
        self.samples += samples

    @property
    def overhead(self) -> float:
        """The share of the workers' time that was not spent on work."""
        return 1 - self.busy_seconds / self.capacity_seconds if self.capacity_seconds > 0 else 0.0


def finished_cells(plan: Plan, journal: Journal) -> int:
    """How many cells of the plan are finished."""
    return sum(journal.state(cell.cell_id) == FINISHED for cell in plan.cells)


def missing_cells(plan: Plan, journal: Journal) -> list[Cell]:
    """The cells to run now: not finished yet, as filtered and ordered by the settings."""
    settings = plan.settings
    wanted = {FAILED} if settings.only == FAILED else {FAILED, ""}  # states; of any other nothing is run
    cells = [cell for cell in plan.cells if journal.state(cell.cell_id) in wanted]
    if settings.shuffle:
        order = streams.generator("shuffle", plan.sweep_id).permutation(len(cells))
        cells = [cells[i] for i in order]
    return cells if settings.limit is None else cells[: settings.limit]


def run_cells(
    cells: Sequence[Cell],
    executor: Executor,
    journal: Journal,
    mirror: Mirror | None,
    listener: Listener,
    *,
    batch_seconds: float,
    fan_out: str | None,
    fail_fast: bool,
) -> Tally:
    """Run the cells; each one is in the journal before the mirror or the listener hears of it."""
    groups = _group(cells)
    trials = [trial for trial, _ in groups]
    ids = [next(iter(members.values())).trial_id for _, members in groups]
    pieces = KeptPieces(journal.folder / files.PIECES, ids)
    tally = Tally(workers=executor.workers)
    scheduler = Scheduler(executor, batch_seconds, fan_out, pieces)
    start = time.perf_counter()
    for events in scheduler.run(trials):
        results = []
        for event in events:
            if isinstance(event, Progress):
                listener.work_done(trials[event.trial], event.piece, scheduler.seconds_left())
            else:
                results.append(event)
        if results:
            entries = journal.commit(
                [kept for result in results for kept in _results(groups[result.trial][1], result)]
            )
            for result in results:
                if not isinstance(result.outcomes, Failure):
                    pieces.drop(result.trial)
            if mirror is not None:
                for entry in entries:
                    mirror.add(entry)
            drawn = sum(_samples_drawn(groups[result.trial][0], result.outcomes) for result in results)
            tally.count(entries, drawn)
            listener.cells_done(entries, drawn, scheduler.seconds_left())
        if fail_fast and tally.failed:
            break
    tally.wall_seconds = time.perf_counter() - start
    tally.tasks, tally.pieces_restored = scheduler.tasks, scheduler.pieces_restored
    tally.busy_seconds = scheduler.busy_seconds
    tally.capacity_seconds = scheduler.capacity_seconds
    return tally


def _samples_drawn(trial: Trial, outcomes: Outcomes | Failure) -> int:
    """By all replicates at all rungs that were really run; both tie-breakings count once where they share."""
    if isinstance(outcomes, Failure):
        return 0
    drawn = [round(outcome.metrics["samples_drawn"]) for outcome in outcomes.values()]
    return max(drawn) if trial.schedule.shared else sum(drawn)


def _group(cells: Sequence[Cell]) -> list[tuple[Trial, dict[TieBreaking, Cell]]]:
    """Cells that share their samples, with a trial that decides only what is asked for."""
    groups: dict[str, dict[TieBreaking, Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.trial_id, {})[cell.tie_breaking] = cell
    return [
        (dataclasses.replace(next(iter(members.values())).trial, tie_breakings=tuple(members)), members)
        for members in groups.values()
    ]


def _results(
    members: dict[TieBreaking, Cell], result: Result
) -> Iterator[tuple[Entry, pd.DataFrame | None, pd.DataFrame | None]]:
    """What the journal keeps of a trial: an entry, records and the table of leader actions for each cell."""
    for tie, cell in members.items():
        entry = Entry(
            cell_id=cell.cell_id,
            state=FINISHED,
            label=cell.label,
            description=cell.description,
            config=cell.config,
            varying=cell.varying,
            busy_seconds=result.busy_seconds / len(members),
            wall_seconds=result.wall_seconds,
            finished_at=time.time(),
        )
        found = result.outcomes
        if isinstance(found, Failure):
            failed = dataclasses.replace(entry, state=FAILED, error=found.message, traceback=found.traceback)
            yield failed, None, None
        else:
            outcome = found[tie]
            entry = dataclasses.replace(entry, metrics=outcome.metrics, rungs=outcome.rungs)
            yield entry, outcome.records, outcome.actions
