"""Runs cells: schedules their trials, writes the journal, feeds the mirror, tells a listener."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import pandas as pd

from stackel_bench import streams
from stackel_bench.execution.events import Progress, Result
from stackel_bench.execution.executor import Executor
from stackel_bench.execution.runs import Piece
from stackel_bench.execution.scheduler import Scheduler
from stackel_bench.models import TieBreaking
from stackel_bench.results import files
from stackel_bench.results.entry import FAILED, FINISHED, Entry
from stackel_bench.results.journal import Journal
from stackel_bench.sweeps.cell import Cell
from stackel_bench.sweeps.folder import KeptPieces
from stackel_bench.sweeps.plan import Plan
from stackel_bench.sweeps.spending import Spending
from stackel_bench.sweeps.true_values import LowerBounds, TrueValues
from stackel_bench.tracking.mirror_process import MirrorProcess
from stackel_bench.trials.programs import RunSoFar
from stackel_bench.trials.trial import Failure, Outcomes, Trial


class Listener(Protocol):
    """Hears of every piece of work as it comes back, and of every cell as soon as it is in the journal."""

    def work_done(self, trial: Trial, piece: Piece, seconds_left: float) -> None:
        """A piece of a trial came back; so many seconds of work on one worker are not begun."""

    def run_grew(self, trial: Trial, run: RunSoFar, seconds_left: float) -> None:
        """A program's run, of one leader action and replicate, was cut and goes on."""

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
    stopped: str = ""  # the cap that was reached, if one was
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
    plan: Plan,
    cells: Sequence[Cell],
    executor: Executor,
    journal: Journal,
    mirror: MirrorProcess | None,
    listener: Listener,
) -> Tally:
    """Run some cells of a plan; each is in the journal before the mirror or the listener hears of it."""
    settings, values = plan.settings, TrueValues(plan.cells)
    bounds, how = LowerBounds(plan.cells, cells, executor), settings.execution
    groups = _group(cells)
    trials = [trial for trial, _ in groups]
    ids = [next(iter(members.values())).trial_id for _, members in groups]
    pieces = KeptPieces(journal.folder / files.PIECES, ids)
    tally, spending = Tally(workers=executor.workers), Spending(settings.cap, trials)
    scheduler = Scheduler(executor, how.batch_seconds, how.fan_out, pieces, how.piece_seconds)
    start = executor.clock()
    for events in scheduler.run(trials):
        results = []
        for event in events:
            if isinstance(event, Progress) and event.run is not None:
                spending.grew(event.trial, event.run, event.restored)
                listener.run_grew(trials[event.trial], event.run, scheduler.seconds_left())
                if mirror is not None:
                    for cell in groups[event.trial][1].values():
                        mirror.grow(_entry(cell), event.run)
            elif isinstance(event, Progress):
                if event.restored:
                    spending.kept(event.trial, event.piece)
                listener.work_done(trials[event.trial], event.piece, scheduler.seconds_left())
            else:
                results.append(event)
        if results:
            found = (_results(groups[result.trial][1], result, bounds, values) for result in results)
            entries = journal.commit([kept for some in found for kept in some])
            samples = 0
            for result in results:
                if not isinstance(result.outcomes, Failure):
                    pieces.drop(result.trial)
                drawn = _samples_drawn(trials[result.trial], result.outcomes)
                spending.finished(result.trial, drawn)
                samples += drawn
            if mirror is not None:
                mirror.add([entry.cell_id for entry in entries])
            tally.count(entries, samples)
            listener.cells_done(entries, samples, scheduler.seconds_left())
        if tally.finished + tally.failed < len(cells):
            tally.stopped = spending.reached(scheduler.busy_seconds)
        if tally.stopped or (settings.fail_fast and tally.failed):
            break
    tally.wall_seconds = executor.clock() - start
    tally.tasks, tally.pieces_restored = scheduler.tasks, scheduler.pieces_restored
    tally.busy_seconds = scheduler.busy_seconds + bounds.busy_seconds
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


def _entry(cell: Cell) -> Entry:
    """What is known of a cell without its results, now."""
    about = {name: getattr(cell, name) for name in ("cell_id", "label", "description", "config", "varying")}
    return Entry(state=FINISHED, finished_at=time.time(), **about)


def _results(
    members: dict[TieBreaking, Cell], result: Result, lower_bounds: LowerBounds, true_values: TrueValues
) -> Iterator[tuple[Entry, pd.DataFrame | None, pd.DataFrame | None]]:
    """What the journal keeps of a trial: an entry, records and the table of leader actions for each cell."""
    for tie, cell in members.items():
        busy, wall = result.busy_seconds / len(members), result.wall_seconds
        entry = dataclasses.replace(_entry(cell), busy_seconds=busy, wall_seconds=wall)
        found = result.outcomes
        if isinstance(found, Failure):
            failed = dataclasses.replace(entry, state=FAILED, error=found.message, traceback=found.traceback)
            yield failed, None, None
        else:
            outcome = found[tie]
            metrics = {**outcome.metrics, **lower_bounds.metrics(cell, outcome.metrics)}
            exact = true_values.of(cell)
            entry = dataclasses.replace(entry, metrics=metrics, rungs=outcome.rungs, true_values=exact)
            yield entry, outcome.records, outcome.actions
