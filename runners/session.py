"""Carries a plan through: checks, executor, journal, mirror, results, report."""

from __future__ import annotations

import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console

from stackel_bench import checks
from stackel_bench.execution.start import start_executor, validate_execution
from stackel_bench.reporting.progress import SweepProgress
from stackel_bench.reporting.results import write_results
from stackel_bench.reporting.screen import reserved_screen
from stackel_bench.sweep.driver import Tally, missing_cells, run_cells
from stackel_bench.sweep.folder import locked, require_writable, sweep_folder
from stackel_bench.sweep.plan import Plan
from stackel_bench.tracking.journal import Journal
from stackel_bench.tracking.mirror import Mirror
from stackel_bench.tracking.provenance import git_commit, package_version
from stackel_bench.tracking.start import open_store, validate_tracking


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
    folder = validate_settings(plan)
    with locked(folder), reserved_screen(folder / "library_output.log") as console:
        journal = Journal(folder)
        try:
            tally = _run(plan, folder, journal, console)
        except KeyboardInterrupt:
            console.print(f"\nStopped. Finished cells are kept; resume with:\n  {command}")
            return 130
        _finish(plan, folder, journal, tally, console)
    return 1 if tally.failed else 0


def _run(plan: Plan, folder: Path, journal: Journal, console: Console) -> Tally:
    settings = plan.settings
    output = Path(settings.output).expanduser()
    cells = missing_cells(plan, journal)
    console.print(f"[bold]{plan.study}[/]: {len(plan.cells)} cells, {len(cells)} to run")
    with ThreadPoolExecutor(1) as background:  # MLflow and Ray take seconds to start: at the same time
        opening = background.submit(open_store, settings.tracking, output, plan.study)
        executor = start_executor(settings.execution) if cells else None
        store = opening.result()
    mirror = None
    if store is not None:
        store.find_runs()
        mirror = Mirror(store, journal, run_tags(plan))
        for entry in journal.entries.values():  # whatever an earlier invocation could not log
            mirror.add(entry)
    tally = Tally()
    try:
        if executor is not None:
            with SweepProgress(console, len(cells), executor.workers, settings.quiet) as progress:
                tally = run_cells(
                    cells,
                    executor,
                    journal,
                    mirror,
                    progress,
                    batch_seconds=settings.execution.batch_seconds,
                    fail_fast=settings.fail_fast,
                )
    except KeyboardInterrupt:
        if mirror is not None:
            mirror.abandon()
        raise
    finally:
        if executor is not None:
            executor.shutdown()
    tally.reused = len(plan.cells) - len(cells)
    if mirror is not None:
        tally.unsynced = mirror.close(patience=60)
    return tally


def _finish(plan: Plan, folder: Path, journal: Journal, tally: Tally, console: Console) -> None:
    entries = [journal.entries[c.cell_id] for c in plan.cells if c.cell_id in journal.entries]
    write_results(folder, entries, {"study": plan.study, "sweep_id": plan.sweep_id})
    console.print(f"results in {folder}")


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
