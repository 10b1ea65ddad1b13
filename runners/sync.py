"""`stackel-bench sync`: log to MLflow whatever a sweep's journal has and MLflow has not."""

from __future__ import annotations

from rich.console import Console

from stackel_bench.errors import InputError
from stackel_bench.runners.ending import log_report, sweep_results
from stackel_bench.runners.exchange import open_tracking
from stackel_bench.runners.session import command_line, prepare_folder, run_tags
from stackel_bench.sweep.folder import locked
from stackel_bench.sweep.plan import make_plan
from stackel_bench.tracking.journal import Journal
from stackel_bench.tracking.mirror import sync


def main(overrides: list[str]) -> int:
    """Same overrides as the sweep's; 1 if something could still not be logged."""
    plan = make_plan(overrides)
    folder = prepare_folder(plan)
    if plan.settings.tracking.kind == "off":
        raise InputError("tracking", "off", "local or server")
    console = Console(highlight=False, soft_wrap=True)
    with locked(folder):
        journal, tags = Journal(folder), run_tags(plan)
        tracking = open_tracking(plan, journal, tags)
        assert tracking is not None
        logged, unsynced = sync(tracking.store, journal, tags, plan.settings.tracking.patience)
        console.print(f"{logged} cells logged to MLflow, {len(unsynced)} could not be")
        for cell_id, reason in list(unsynced.items())[:5]:
            console.print(f"  {cell_id}: {reason}", markup=False)
        problem = ""
        if (folder / "report.html").exists() and not unsynced:
            results = sweep_results(plan, journal, tags, command_line("sweep", overrides))
            problem = log_report(results, tracking.store, tags)
    if problem:
        console.print(f"the report could not be logged: {problem}", markup=False)
    return 1 if unsynced or problem else 0


if __name__ == "__main__":
    from stackel_bench.cli import run_script

    run_script("sync")
