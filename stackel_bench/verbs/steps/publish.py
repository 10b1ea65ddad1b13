"""What a sweep leaves behind: tables, report, the report run in MLflow, and the last words on the screen."""

from __future__ import annotations

import dataclasses
import functools
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from stackel_bench.reporting.console.table import print_table
from stackel_bench.reporting.mlflow.study_pages import first_query, log_study
from stackel_bench.reporting.sweep_results import SweepResults, Tables
from stackel_bench.results import files
from stackel_bench.results.frames import saved_summary, write_actions, write_results
from stackel_bench.results.journal import Journal
from stackel_bench.results.numbers import count
from stackel_bench.results.provenance import git_commit, package_version
from stackel_bench.sweeps.driver import Tally
from stackel_bench.sweeps.plan import Plan
from stackel_bench.text import plural
from stackel_bench.tracking.links import in_sweep
from stackel_bench.tracking.mirror_process import MirrorProcess
from stackel_bench.tracking.run_record import problem_of

if TYPE_CHECKING:
    from stackel_bench.tracking.mlflow_store import MlflowStore


@dataclass
class Session:
    """A sweep on its way: what is to be done, where it is kept and logged, and what this invocation did."""

    plan: Plan
    command: str  # as it was typed
    journal: Journal
    console: Console
    tally: Tally = field(default_factory=Tally)
    store: MlflowStore | None = None
    mirror: MirrorProcess | None = None

    @functools.cached_property
    def tags(self) -> dict[str, str]:
        """Tags of every run of this sweep."""
        return run_tags(self.plan.sweep_id)

    def say(self, text: str) -> None:
        """Show a sentence as it stands."""
        self.console.print(text, markup=False)

    def settle(self) -> None:
        """Wait until every cell is logged, or given up; the tally says which were."""
        if self.mirror is None:
            return

        def tell(left: int) -> None:
            cells = plural(left, "cell")
            self.say(f"{cells} still to be logged to MLflow (Ctrl-C leaves that for later)")

        try:
            self.tally.unsynced = self.mirror.close(self.plan.settings.tracking.patience, tell)
        except KeyboardInterrupt:  # every cell is computed: only logging is left for later
            self.tally.unsynced = self.mirror.abandon()

    def results(self) -> SweepResults:
        """Everything that is finished so far, in the order of the plan."""
        plan, entries = self.plan, self.journal.entries
        return SweepResults(
            study=plan.study,
            question=plan.question,
            sweep_id=plan.sweep_id,
            tables=self.journal,
            entries=tuple(entries[cell.cell_id] for cell in plan.cells if cell.cell_id in entries),
            planned=len(plan.cells),
            command=self.command,
            version=self.tags["stackel.version"],
            commit=self.tags["stackel.git_commit"],
        )


# What follows once the cells of a session have run: writes and shows it; whether it is as it should be.
Ending = Callable[[Session], bool]


def run_tags(sweep_id: str) -> dict[str, str]:
    """Tags of every run of a sweep."""
    return {
        "stackel.sweep_id": sweep_id,
        "stackel.version": package_version(),
        "stackel.git_commit": git_commit(),
        in_sweep(sweep_id): "yes",
    }


def tell_problems(console: Console, tables: Tables) -> None:
    """Say what is wrong with a sweep's folder, if anything is."""
    for sentence in tables.problems():
        console.print(sentence, markup=False)


def write_tables(results: SweepResults, tally: Tally) -> None:
    """results.csv, results.parquet, and summary.json with what this invocation did."""
    ran = tally.finished + tally.failed
    invocation = dataclasses.asdict(tally) | {"overhead": tally.overhead, "ran": ran}
    failures = [{"cell_id": e.cell_id, "label": e.label, "error": e.error} for e in results.failed]
    summary = {**results.summary(), "failures": failures, "invocation": invocation}
    write_results(results.folder, results.cells, summary)
    write_actions(results.journal, [entry.cell_id for entry in results.finished])


def report_is_current(results: SweepResults) -> bool:
    """Whether the folder has a report of exactly these results; drawing thousands of cells takes long."""
    report, journal = results.folder / files.REPORT, results.folder / files.JOURNAL
    if not report.exists():
        return False
    if journal.exists() and report.stat().st_mtime < journal.stat().st_mtime:  # none while no cell has ended
        return False
    facts = saved_summary(results.folder)
    return all(facts.get(key) == value for key, value in results.summary().items())


def publish(session: Session) -> bool:
    """Write and show what is finished so far; always True: a sweep has no expected verdicts."""
    results, tally = session.results(), session.tally
    if not report_is_current(results):
        # with matplotlib, not for those who plan or fail
        from stackel_bench.reporting.pages.report import write_report

        write_report(results)  # while the last cells are being logged
    session.settle()
    write_tables(results, tally)
    print_table(session.console, results)
    if tally.finished:
        kept = f" ({plural(tally.pieces_restored, 'piece')} from before)" if tally.pieces_restored else ""
        session.say(
            f"{count(tally.samples)} samples{kept} in {tally.wall_seconds:.1f} s on "
            f"{plural(tally.workers, 'worker')}, overhead {tally.overhead:.0%}"
        )
    if results.failed:
        where = results.folder / files.FAILURES
        failed = plural(len(results.failed), "cell")
        session.say(f"{failed} failed; tracebacks in {where}, and the same command tries them again")
    if session.store is not None:
        problem = "" if tally.unsynced else log_report(results, session.store, session.tags)
        reason = problem or next(iter(tally.unsynced.values()), "")
        if session.plan.settings.tracking.kind == "server":  # a local store has no server that runs by now
            session.say(f"link    {session.store.link(first_query(results))}")
        if reason:
            what = plural(len(tally.unsynced), "cell") if tally.unsynced else "the report"
            later = sync_command(session.command)
            session.say(f"MLflow did not take {what} ({reason}); nothing is lost. Later:\n  {later}")
    return True


def log_report(results: SweepResults, store: MlflowStore, tags: Mapping[str, str]) -> str:
    """Log all of a sweep but its cells; why that was impossible, or nothing."""
    folder = results.folder
    names = (files.REPORT, files.RESULTS_CSV, files.RESULTS_PARQUET, files.ACTIONS_PARQUET, files.SUMMARY)
    paths = [folder / name for name in names]
    paths += sorted(path for name in (files.FIGURES, files.TABLES) for path in (folder / name).glob("*.*"))
    return reason_of(lambda: log_study(results, store, tags, [path for path in paths if path.exists()]))


def reason_of(log: Callable[[], object]) -> str:
    """Why logging is impossible, or nothing; the results are on disk, only MLflow's copy is incomplete."""
    try:
        log()
    except Exception as error:  # whatever a database or a server answers
        return problem_of(error)
    return ""


def sync_command(command: str) -> str:
    """The command that logs what the given run or sweep command could not."""
    words = shlex.split(command)
    words[1] = "sync" if words[0] == "stackel-bench" else str(Path(words[1]).with_name("sync.py"))
    return shlex.join(words)
