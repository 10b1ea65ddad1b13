"""`stackel-bench report`: the report of a sweep again, or of several as one, from their journals."""

from rich.console import Console

from stackel_bench.config.settings import TrackingSettings
from stackel_bench.reporting.console.table import print_table
from stackel_bench.reporting.pages.report import write_report
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results import files
from stackel_bench.results.frames import write_actions, write_results
from stackel_bench.results.journal import Journal
from stackel_bench.sweeps.folder import require_writable
from stackel_bench.tracking.run_record import problem_of
from stackel_bench.tracking.start import in_background, open_store, wait_for
from stackel_bench.verbs.steps.find import read_results, tracking_settings
from stackel_bench.verbs.steps.publish import log_report, run_tags, tell_problems


def main(overrides: list[str]) -> int:
    """Read, write, print; the exit code. `study=NAME`, `sweep=ID` or `sweep=ID,ID` alone find what exists."""
    settings = tracking_settings(overrides)
    results = read_results(overrides, several=True)
    require_writable(results.folder)
    console = Console(highlight=False, soft_wrap=True)
    merged = not isinstance(results.tables, Journal)
    tell_problems(console, results.tables)
    write_results(results.folder, results.cells, results.summary())
    if not merged:
        write_actions(results.journal, [entry.cell_id for entry in results.finished])
    write_report(results)
    print_table(console, results)
    problem = "" if merged else _log(results, settings)
    if problem:
        console.print(f"MLflow did not take the report ({problem})", markup=False)
    return 1 if problem else 0


def _log(results: SweepResults, settings: TrackingSettings) -> str:
    """Renew the report run where the sweep's cells were logged; why that was impossible, or nothing."""
    output = results.folder.parent.parent
    moved = results.folder.parent.name != files.SWEEPS  # then whose database that is, nobody knows
    if settings.kind == "off":
        return ""
    if settings.kind == "local" and (moved or not (output / "mlflow.db").exists()):
        return ""
    made_with = {"stackel.version": results.version, "stackel.git_commit": results.commit}
    tags = {**run_tags(results.sweep_id), **made_with}
    try:
        store = wait_for(in_background(open_store, settings, output, results.study), settings.open_seconds)
    except Exception as error:  # the report is on disk; only the mirror is incomplete
        return problem_of(error)
    return log_report(results, store, tags)
