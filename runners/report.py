"""`stackel-bench report`: the report of a sweep again, from its journal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from stackel_bench.errors import InputError
from stackel_bench.reporting.find_sweep import describe, existing_sweeps, find_sweep
from stackel_bench.reporting.report import write_report
from stackel_bench.reporting.results import write_results
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep
from stackel_bench.reporting.terminal import print_table
from stackel_bench.runners.ending import log_report
from stackel_bench.sweep.folder import sweep_folder
from stackel_bench.sweep.plan import make_plan


def main(overrides: list[str]) -> int:
    """Read, write, print; the exit code. `study=NAME` or `sweep=ID` alone find what exists."""
    results = read_results(overrides)
    if not results.entries:
        raise InputError(
            "study", results.study, f"a sweep with finished or failed cells, unlike {results.folder}"
        )
    write_results(results.folder, results.entries, results.summary())
    write_report(results)
    console = Console(highlight=False, soft_wrap=True)
    print_table(console, results)
    problem = _log(results, _given(overrides))
    if problem:
        console.print(f"MLflow did not take the report ({problem})", markup=False)
    return 1 if problem else 0


def _log(results: SweepResults, given: dict[str, str]) -> str:
    """Renew the report run where the sweep's cells were logged; why that was impossible, or nothing."""
    database = results.folder.parent.parent / "mlflow.db"
    uri = given.get("tracking.uri", f"sqlite:///{database}")
    if given.get("tracking") == "off" or (uri.startswith("sqlite") and not database.exists()):
        return ""
    from stackel_bench.tracking.mlflow_store import MlflowStore  # importing mlflow takes seconds

    tags = {"stackel.version": results.version, "stackel.git_commit": results.commit}
    try:
        artifacts = database.parent / "mlartifacts" if uri.startswith("sqlite") else None
        store = MlflowStore(uri, results.study, artifacts)
    except Exception as error:  # the report is on disk; only the mirror is incomplete
        return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
    return log_report(results, store, tags)


def _given(overrides: list[str]) -> dict[str, str]:
    return dict(override.partition("=")[::2] for override in overrides)


def read_results(overrides: list[str]) -> SweepResults:
    """The results that the overrides of a sweep, or a study's name or sweep id, stand for."""
    given = _given(overrides)
    output = Path(given.get("output", "."))
    if "sweep" in given:
        return read_sweep(find_sweep(given["sweep"], output))
    by_name = "study" in given and set(given) <= {"study", "output"}
    try:
        plan = make_plan(overrides)
    except InputError as error:
        if by_name and error.field == "study":  # named on the command line of its sweep, not in a file
            return read_sweep(find_sweep(given["study"], output))
        raise
    folder = sweep_folder(plan)
    if (folder / "journal.jsonl").exists():
        facts = {"study": plan.study, "question": plan.question, "planned": len(plan.cells)}
        return read_sweep(folder, [cell.cell_id for cell in plan.cells], **facts)
    if by_name:
        return read_sweep(find_sweep(plan.study, output))
    existing = describe(existing_sweeps(output))
    raise InputError(
        "sweep", folder.name, f"the overrides, or sweep=ID, of one that has been run: {existing}"
    )


if __name__ == "__main__":
    from stackel_bench.cli import run_script

    run_script("report")
