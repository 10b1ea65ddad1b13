"""What a sweep leaves behind: tables, report, the report run in MLflow, and the last words on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Console

from stackel_bench.reporting.report import write_report
from stackel_bench.reporting.results import write_results
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.terminal import print_table
from stackel_bench.sweep.driver import Tally
from stackel_bench.sweep.folder import sweep_folder
from stackel_bench.sweep.plan import Plan
from stackel_bench.tracking.journal import Journal

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore


def publish(
    plan: Plan,
    journal: Journal,
    tally: Tally,
    store: MlflowStore | None,
    tags: Mapping[str, str],
    command: str,
    console: Console,
) -> None:
    """Write and show the results of everything that is finished so far."""
    results = SweepResults(
        study=plan.study,
        question=plan.question,
        sweep_id=plan.sweep_id,
        folder=sweep_folder(plan),
        entries=tuple(journal.entries[c.cell_id] for c in plan.cells if c.cell_id in journal.entries),
        planned=len(plan.cells),
        command=command,
        version=tags["stackel.version"],
        commit=tags["stackel.git_commit"],
    )
    invocation = {
        "wall_seconds": tally.wall_seconds,
        "busy_seconds": tally.busy_seconds,
        "workers": tally.workers,
        "overhead": tally.overhead,
        "ran": tally.finished + tally.failed,
        "reused": tally.reused,
        "samples": tally.samples,
        "unsynced": tally.unsynced,
    }
    failures = [{"cell_id": e.cell_id, "label": e.label, "error": e.error} for e in results.failed]
    write_results(
        results.folder,
        results.entries,
        {**results.summary(), "failures": failures, "invocation": invocation},
    )
    print_table(console, results)
    files = write_report(results)
    if tally.finished:
        console.print(
            f"{tally.samples:.3g} samples in {tally.wall_seconds:.1f} s on {tally.workers} workers, "
            f"overhead {tally.overhead:.0%}"
        )
    if store is not None:
        _log_report(results, store, tags, files, tally, console, command)


def _log_report(
    results: SweepResults,
    store: MlflowStore,
    tags: Mapping[str, str],
    files: list,
    tally: Tally,
    console: Console,
    command: str,
) -> None:
    from stackel_bench.reporting.description import experiment_description

    counts = {"cells_finished": len(results.finished), "cells_failed": len(results.failed)}
    problem = ""
    try:
        store.describe(experiment_description(results))
        tables = [results.folder / name for name in ("results.csv", "summary.json")]
        store.log_report(results.sweep_id, tags, counts, results.folder, [*files, *tables])
    except Exception as error:  # the results are on disk; only the mirror is incomplete
        problem = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    if tally.unsynced or problem:
        reason = problem or next(iter(tally.unsynced.values()))
        console.print(
            f"MLflow did not take {len(tally.unsynced)} cells ({reason}); nothing is lost. Later:\n"
            f"  {command.replace(' sweep ', ' sync ').replace(' run ', ' sync ')}",
            markup=False,
        )
