"""Runs cells: schedules their trials, writes the journal, feeds the mirror, tells a listener."""

from __future__ import annotations

import dataclasses
import io
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import pandas as pd

from stackel_bench import streams
from stackel_bench.execution.executor import Executor
from stackel_bench.execution.scheduler import Scheduler
from stackel_bench.execution.trial import Failure, Outcome, Outcomes, Trial
from stackel_bench.models import TieBreaking
from stackel_bench.results.entry import FAILED, FINISHED, Entry
from stackel_bench.results.journal import Journal
from stackel_bench.sweep.cell import Cell
from stackel_bench.sweep.plan import Plan
from stackel_bench.tracking.mirror import Mirror


class Listener(Protocol):
    """Hears of every cell as soon as it is in the journal."""

    def cell_done(self, entry: Entry, samples: int) -> None:
        """A cell finished or failed; samples were newly drawn for it."""


@dataclass
class Tally:
    """What one invocation did."""

    finished: int = 0
    failed: int = 0
    reused: int = 0
    samples: int = 0
    wall_seconds: float = 0.0
    busy_seconds: float = 0.0
    capacity_seconds: float = 0.0  # workers x time, workers that came and went included
    workers: int = 1
    unsynced: dict[str, str] = field(default_factory=dict)

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
    wanted = (
        (FAILED,) if settings.only == "failed" else (FAILED, "")
    )  # what is in another state is left alone
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
    fail_fast: bool,
) -> Tally:
    """Run the cells; each one is in the journal before the mirror or the listener hears of it."""
    groups = _group(cells)
    trials = [trial for trial, _ in groups]
    tally = Tally(workers=executor.workers)
    scheduler = Scheduler(executor, batch_seconds)
    start = time.perf_counter()
    for index, result, seconds in scheduler.run(trials):
        trial, members = groups[index]
        fresh = 0 if isinstance(result, Failure) else _samples_drawn(trial, result)
        tally.samples += fresh
        for entry in journal.commit(_results(members, result, seconds / len(members))):
            tally.failed += entry.state == FAILED
            tally.finished += entry.state == FINISHED
            if mirror is not None:
                mirror.add(entry)
            listener.cell_done(entry, fresh)
            fresh = 0  # the other tie-breaking used the same samples
        if fail_fast and tally.failed:
            break
    tally.wall_seconds = time.perf_counter() - start
    tally.busy_seconds = scheduler.busy_seconds
    tally.capacity_seconds = scheduler.capacity_seconds
    return tally


def _samples_drawn(trial: Trial, outcomes: Outcomes) -> int:
    """By all replicates; learners that stop by themselves draw less than they may."""
    return round(trial.replicates * next(iter(outcomes.values())).metrics["samples"])


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
    members: Mapping[TieBreaking, Cell], result: Outcomes | Failure, seconds: float
) -> list[tuple[Entry, pd.DataFrame | None, None]]:
    if isinstance(result, Failure):
        return [(_entry(cell, result, seconds), None, None) for cell in members.values()]
    records = {tie: pd.read_parquet(io.BytesIO(result[tie].records)) for tie in members}
    return [(_entry(cell, result[tie], seconds), records[tie], None) for tie, cell in members.items()]


def _entry(cell: Cell, result: Outcome | Failure, seconds: float) -> Entry:
    entry = Entry(
        cell_id=cell.cell_id,
        state=FINISHED,
        label=cell.label,
        description=cell.describe(),
        config=cell.config,
        busy_seconds=seconds,
        finished_at=time.time(),
    )
    if isinstance(result, Failure):
        return dataclasses.replace(entry, state=FAILED, error=result.message, traceback=result.traceback)
    return dataclasses.replace(entry, metrics=result.metrics, rungs=tuple(result.rungs))
