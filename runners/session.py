"""Carries a plan through: checks, executor, journal, mirror, results, report."""

from __future__ import annotations

import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from stackel_bench import checks
from stackel_bench.execution.start import start_executor, validate_execution
from stackel_bench.reporting.progress import SweepProgress
from stackel_bench.reporting.screen import reserved_screen
from stackel_bench.runners.dry_run import print_plan
from stackel_bench.runners.ending import publish
from stackel_bench.sweep.cell import Cell
from stackel_bench.sweep.driver import Tally, missing_cells, run_cells
from stackel_bench.sweep.folder import locked, require_writable, sweep_folder
from stackel_bench.sweep.plan import Plan
from stackel_bench.tracking.journal import Journal
from stackel_bench.tracking.mirror import Mirror
from stackel_bench.tracking.provenance import git_commit, package_version
from stackel_bench.tracking.start import open_store, validate_tracking

if TYPE_CHECKING:
    from stackel_bench.execution.executor import Executor
    from stackel_bench.tracking.mlflow_store import MlflowStore

MIRROR_PATIENCE = 60.0  # seconds that a finished sweep waits for a tracking server that does not answer


def validate_settings(plan: Plan) -> Path:
    """The sweep's folder, once everything that the cells share has been checked."""
    settings = plan.settings
    if settings.only is not None:
        checks.choice("only", settings.only, ("failed",))
    if settings.limit is not None:
        checks.integer("limit", settings.limit, least=1)
    validate_execution(settings.execution)
    validate_tracking(settings.tracking)
    folder = sweep_folder(plan)
    require_writable(folder)
    return folder


def run_session(plan: Plan, command: str) -> int:
    """Run what is missing of the plan and report; the exit code."""
    if plan.settings.dry_run:
        return print_plan(plan)
    folder = validate_settings(plan)
    with locked(folder), reserved_screen(folder / "library_output.log") as console:
        journal = Journal(folder)
        try:
            tally, store = _run(plan, journal, console)
            publish(plan, journal, tally, store, run_tags(plan), command, console)
        except KeyboardInterrupt:
            console.print(f"\nStopped; finished cells are kept. Resume with:\n  {command}", markup=False)
            return 130
    return 1 if tally.failed else 0


def _run(plan: Plan, journal: Journal, console: Console) -> tuple[Tally, MlflowStore | None]:
    settings = plan.settings
    output = Path(settings.output).expanduser()
    with ThreadPoolExecutor(1) as background:  # MLflow and Ray take seconds to start: at the same time
        opening = background.submit(open_store, settings.tracking, output, plan.study)
        executor = start_executor(settings.execution) if missing_cells(plan, journal) else None
        store = opening.result()
    mirror = Mirror(store, journal, run_tags(plan)) if store is not None else None
    tally = Tally()
    try:
        if store is not None and mirror is not None:
            _meet_store(plan, journal, store, mirror)
        cells = missing_cells(plan, journal)
        console.print(f"[bold]{plan.study}[/]: {len(plan.cells)} cells, {len(cells)} to run")
        if executor is not None and cells:
            tally = _run_cells(plan, cells, executor, journal, mirror, console)
        tally.reused = len(plan.cells) - len(cells)
    except BaseException:
        if mirror is not None:
            mirror.abandon()
        raise
    finally:
        if executor is not None:
            executor.shutdown()
    if mirror is not None:
        tally.unsynced = mirror.close(MIRROR_PATIENCE)
    return tally, store


def _meet_store(plan: Plan, journal: Journal, store: MlflowStore, mirror: Mirror) -> None:
    """Fetch cells that only the store has, log entries that only the journal has."""
    missing = missing_cells(plan, journal)
    waiting = mirror.unmirrored()
    if missing or waiting:
        complete = {cell_id for cell_id, done in store.find_runs().items() if done}
        for cell in missing:
            fetched = store.fetch_cell(cell.cell_id) if cell.cell_id in complete else None
            if fetched is not None:
                journal.finish(*fetched)
    for entry in waiting:
        mirror.add(entry)


def _run_cells(
    plan: Plan,
    cells: list[Cell],
    executor: Executor,
    journal: Journal,
    mirror: Mirror | None,
    console: Console,
) -> Tally:
    settings = plan.settings
    with SweepProgress(console, len(cells), executor.workers, settings.quiet) as progress:
        return run_cells(
            cells,
            executor,
            journal,
            mirror,
            progress,
            batch_seconds=settings.execution.batch_seconds,
            fail_fast=settings.fail_fast,
        )


def run_tags(plan: Plan) -> dict[str, str]:
    """Tags of every run of this sweep."""
    return {
        "stackel.sweep_id": plan.sweep_id,
        "stackel.version": package_version(),
        "stackel.git_commit": git_commit(),
    }


def command_line(verb: str, overrides: list[str]) -> str:
    """The command as it was typed, for messages that say how to resume."""
    program = Path(sys.argv[0]).name
    words = ["stackel-bench", verb] if program == "stackel-bench" else ["python", sys.argv[0]]
    return shlex.join([*words, *overrides])
