"""What a sweep leaves behind: tables, report, the report run in MLflow, and the last words on the screen."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rich.console import Console

from stackel_bench.reporting.mlflow_view import VIEW_QUERY, VIEW_TAG, view_state
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.terminal import print_table
from stackel_bench.results import files
from stackel_bench.results.frames import saved_summary, write_actions, write_results
from stackel_bench.results.journal import Journal
from stackel_bench.sweep.driver import Tally
from stackel_bench.sweep.plan import Plan

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore


class Ending(Protocol):
    """What follows once the cells of a session have run."""

    def __call__(
        self,
        plan: Plan,
        journal: Journal,
        tally: Tally,
        store: MlflowStore | None,
        tags: Mapping[str, str],
        command: str,
        console: Console,
        /,
    ) -> bool:
        """Write and show what there is to see; whether it is as it should be."""


def tell_problems(console: Console, journal: Journal) -> None:
    """Say what is wrong with a sweep's folder, if anything is."""
    for sentence in journal.problems():
        console.print(sentence, markup=False)


def sweep_results(plan: Plan, journal: Journal, tags: Mapping[str, str], command: str) -> SweepResults:
    """Everything that is finished so far, in the order of the plan."""
    return SweepResults(
        study=plan.study,
        question=plan.question,
        sweep_id=plan.sweep_id,
        journal=journal,
        entries=tuple(journal.entries[c.cell_id] for c in plan.cells if c.cell_id in journal.entries),
        planned=len(plan.cells),
        command=command,
        version=tags["stackel.version"],
        commit=tags["stackel.git_commit"],
    )


def write_tables(results: SweepResults, tally: Tally) -> None:
    """results.csv, results.parquet, and summary.json with what this invocation did."""
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
    write_actions(results.journal, [entry.cell_id for entry in results.finished])


def report_is_current(results: SweepResults) -> bool:
    """Whether the folder has a report of exactly these results; drawing thousands of cells takes long."""
    report, journal = results.folder / files.REPORT, results.folder / files.JOURNAL
    if not report.exists() or report.stat().st_mtime < journal.stat().st_mtime:
        return False
    facts = saved_summary(results.folder)
    return all(facts.get(key) == value for key, value in results.summary().items())


def publish(
    plan: Plan,
    journal: Journal,
    tally: Tally,
    store: MlflowStore | None,
    tags: Mapping[str, str],
    command: str,
    console: Console,
) -> bool:
    """Write and show the results of everything that is finished so far; numbers as such are never wrong."""
    results = sweep_results(plan, journal, tags, command)
    current = report_is_current(results)
    write_tables(results, tally)
    if not current:
        from stackel_bench.reporting.report import write_report  # matplotlib: not for those who plan or fail

        write_report(results)
    print_table(console, results)
    if tally.finished:
        console.print(
            f"{tally.samples:.3g} samples in {tally.wall_seconds:.1f} s on {tally.workers} workers, "
            f"overhead {tally.overhead:.0%}"
        )
    if results.failed:
        console.print(
            f"{len(results.failed)} cells failed; tracebacks in {results.folder / files.FAILURES}, and the "
            "same command tries them again",
            markup=False,
        )
    if store is not None:
        problem = "" if tally.unsynced else log_report(results, store, tags)
        reason = problem or next(iter(tally.unsynced.values()), "")
        console.print(f"link    {store.link(VIEW_QUERY)}")
        if reason:
            what = f"{len(tally.unsynced)} cells" if tally.unsynced else "the report"
            console.print(
                f"MLflow did not take {what} ({reason}); nothing is lost. Later:\n  {sync_command(command)}",
                markup=False,
            )
    return True


def log_report(results: SweepResults, store: MlflowStore, tags: Mapping[str, str]) -> str:
    """Log the files in the sweep's folder as its report run; why that was impossible, or nothing."""
    from stackel_bench.reporting.description import experiment_description

    counts = {"cells_finished": len(results.finished), "cells_failed": len(results.failed)}
    folder = results.folder
    names = (files.REPORT, files.RESULTS_CSV, files.RESULTS_PARQUET, files.ACTIONS_PARQUET, files.SUMMARY)
    paths = [folder / name for name in names]
    paths += sorted(path for name in (files.FIGURES, files.TABLES) for path in (folder / name).glob("*.*"))
    try:
        store.describe(experiment_description(results), {VIEW_TAG: view_state()})
        store.log_report(results.sweep_id, tags, counts, folder, [path for path in paths if path.exists()])
    except Exception as error:  # the results are on disk; only the mirror is incomplete
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return ""


def sync_command(command: str) -> str:
    """The command that logs what the given run or sweep command could not."""
    words = shlex.split(command)
    words[1] = "sync" if words[0] == "stackel-bench" else str(Path(words[1]).with_name("sync.py"))
    return shlex.join(words)
