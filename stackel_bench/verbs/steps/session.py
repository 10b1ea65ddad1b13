"""Carries a plan through: checks, executor, journal, mirror, results, report."""

import errno
import shlex
import sys
from pathlib import Path

from rich.markup import escape

from stackel_bench import checks
from stackel_bench.config.groups import given_folders
from stackel_bench.errors import STORAGE_ERRORS, InputError, UnavailableError
from stackel_bench.execution.executor import ClusterLostError, Executor
from stackel_bench.execution.start import (
    chosen_execution,
    require_reachable,
    require_shippable,
    start_executor,
    validate_execution,
)
from stackel_bench.execution.warm_up import compile_kernels
from stackel_bench.reporting.console.progress import SweepProgress
from stackel_bench.reporting.console.redirect import reserved_screen
from stackel_bench.results import files
from stackel_bench.results.journal import Journal
from stackel_bench.results.numbers import about
from stackel_bench.results.provenance import record_machine
from stackel_bench.sweeps.cell import Cell
from stackel_bench.sweeps.driver import Tally, finished_cells, missing_cells, run_cells
from stackel_bench.sweeps.folder import count_pieces, locked, require_writable, sweep_folder
from stackel_bench.sweeps.plan import Plan
from stackel_bench.text import plural
from stackel_bench.tracking.start import require_answer, validate_tracking
from stackel_bench.verbs.steps.dry_run import print_plan, rough_seconds
from stackel_bench.verbs.steps.publish import Ending, Session, publish, tell_problems
from stackel_bench.verbs.steps.reconcile import fetch_cells, open_tracking, opened_store

_MOST_LINES = 10  # about combinations that are left out


def validate_settings(plan: Plan) -> None:
    """Raise an InputError if the settings are wrong or inconsistent; no network access."""
    settings = plan.settings
    if settings.only is not None:
        checks.choice("only", settings.only, ("failed",))
    if settings.limit is not None:
        checks.integer("limit", settings.limit, least=1)
    for name in ("samples", "episodes"):
        if (most := getattr(settings.cap, name)) is not None:
            checks.integer(f"cap.{name}", most, least=1)
    if settings.cap.cpu_hours is not None:
        checks.real("cap.cpu_hours", settings.cap.cpu_hours, least=0, open_least=True)
    validate_execution(settings.execution)
    validate_tracking(settings.tracking)


def prepare_folder(plan: Plan) -> Path:
    """The sweep's folder, once it can be written and whatever the settings name does answer."""
    validate_settings(plan)
    require_reachable(plan.settings.execution)
    require_answer(plan.settings.tracking, Path(plan.settings.output))
    folder = sweep_folder(plan)
    require_writable(folder)
    return folder


def run_session(plan: Plan, command: str, ending: Ending = publish) -> int:
    """Run what is missing of the plan, then let the ending report; the exit code."""
    for line in plan.left_out[:_MOST_LINES]:
        print(f"left out: {line}", file=sys.stderr)
    if len(plan.left_out) > _MOST_LINES:
        print(f"left out: {len(plan.left_out) - _MOST_LINES} more", file=sys.stderr)
    if plan.settings.dry_run:
        validate_settings(plan)
        return print_plan(plan)
    folder = prepare_folder(plan)
    try:
        return _run_locked(plan, folder, command, ending)
    except OSError as error:
        if error.errno == errno.ENOENT and str(error.filename).startswith(str(folder)):
            why, remedy = "somebody removed files from it", f"Resume with: {command}"
            raise UnavailableError("output", f"go on in {folder}", why, remedy) from error
        if error.errno not in STORAGE_ERRORS:
            raise
        what, remedy = (
            f"write to {error.filename or folder}",
            f"Finished cells are kept. Resume with: {command}",
        )
        raise UnavailableError("output", what, error.strerror, remedy) from error


def _run_locked(plan: Plan, folder: Path, command: str, ending: Ending) -> int:
    with locked(folder), reserved_screen(folder / files.LIBRARY_LOG) as console:
        session = Session(plan, command, Journal(folder), console)
        try:
            as_wanted = carry_through(session, ending)
        except KeyboardInterrupt:
            _tell_resume(session, "Stopped")
            return 130
        except ClusterLostError as error:
            _tell_resume(session, f"Cluster lost: {error}")
            return 1
        if session.tally.stopped:
            _tell_resume(session, f"Stopped: {session.tally.stopped}")
            return 1
    return 1 if session.tally.failed or not as_wanted else 0


def carry_through(session: Session, ending: Ending) -> bool:
    """Run what is missing in a folder whose lock is held, then the ending; whether all is as wanted."""
    journal = session.journal
    if session.plan.settings.only == "failed" and not journal.entries:
        raise InputError("only", "failed", "null", "only=failed: this sweep has no results yet")
    journal.repair()
    tell_problems(session.console, journal)
    # MLflow and Ray take seconds to start: at the same time.
    session.mirror = open_tracking(session)
    try:
        _run(session)
        journal.require_unchanged()
        return ending(session)
    finally:
        if session.mirror is not None:
            session.mirror.end()


def _run(session: Session) -> None:
    """Open the store, start the executor, run what is missing, log it; the session knows what was done."""
    plan, journal, asked = session.plan, session.journal, session.plan.settings.execution
    mirror, fetched = session.mirror, 0
    executor: Executor | None = None
    try:
        missing = missing_cells(plan, journal)
        seconds = rough_seconds(missing)
        execution = chosen_execution(asked, seconds)
        if missing:
            _tell_start(session, missing, seconds, execution.kind != "serial")
            executor = start_executor(execution)
            if execution.kind != "serial":
                require_shippable(cell.trial for cell in missing)
            if execution.kind == "local":  # once here, while workers import, rather than once in each
                compile_kernels({cell.trial.game.family for cell in missing})
        if mirror is not None:
            session.store, complete = opened_store(session, mirror)
            kept = [cell for cell in missing if cell.cell_id in complete]
            fetched = fetch_cells(session, mirror, session.store, kept)
        cells = missing_cells(plan, journal) if fetched else missing
        where = f" {executor.place}" if executor is not None and cells else ""
        if where and asked.kind == "auto" and execution.kind == "serial":
            where += ", since starting Ray would take longer (execution=local starts it)"
        note = f", {fetched} fetched from MLflow" if fetched else ""
        planned = f"{plural(len(plan.cells), 'cell')}, {len(cells)} to run{where}{note}"
        session.console.print(f"[bold]{escape(plan.study)}[/]: {planned}")
        reused = finished_cells(plan, journal)
        if executor is not None and cells:
            record_machine(journal.folder)
            executor.wait_until_ready()
            session.tally = _run_cells(session, cells, executor)
        session.tally.reused = reused
    except BaseException:
        if mirror is not None and session.store is not None:
            mirror.abandon()
        raise
    finally:
        if executor is not None:
            executor.shutdown()


def _run_cells(session: Session, cells: list[Cell], executor: Executor) -> Tally:
    workers, seconds, quiet = executor.workers, rough_seconds(cells), session.plan.settings.quiet
    with SweepProgress(session.console, len(cells), workers, quiet, seconds) as progress:
        return run_cells(session.plan, cells, executor, session.journal, session.mirror, progress)


def _tell_start(session: Session, missing: list[Cell], seconds: float, with_ray: bool) -> None:
    """What is to be done and how long it may take, before anything that takes seconds to start."""
    waited = ["Ray"] * with_ray + ["MLflow"] * (session.plan.settings.tracking.kind != "off")
    starting = f"; starting {' and '.join(waited)} ..." if waited else ""
    cells = plural(len(missing), "cell")
    session.say(f"{cells} to run, {about(seconds)} of one worker's time{starting}")


def _tell_resume(session: Session, why: str) -> None:
    plan, journal = session.plan, session.journal
    done = f"{finished_cells(plan, journal)} of {len(plan.cells)} cells are finished and kept"
    pieces = count_pieces(journal.folder / files.PIECES)
    kept = f", and {pieces} finished pieces of unfinished cells" if pieces else ""
    session.say(f"\n{why}; {done}{kept}. Resume with:\n  {session.command}")


def command_line(verb: str, overrides: list[str]) -> str:
    """The command as it was typed, for messages that say how to resume."""
    program = Path(sys.argv[0]).name
    words = ["stackel-bench", verb] if program == "stackel-bench" else ["python", sys.argv[0]]
    folders = [word for folder in given_folders() for word in ("--config-dir", str(folder))]
    return shlex.join([*words, *overrides, *folders])
