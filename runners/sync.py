"""`stackel-bench sync`: log to MLflow whatever a sweep's journal has and MLflow has not."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from stackel_bench.errors import InputError
from stackel_bench.runners.session import run_tags, validate_settings
from stackel_bench.sweep.plan import make_plan
from stackel_bench.tracking.journal import Journal
from stackel_bench.tracking.mirror import sync
from stackel_bench.tracking.start import open_store


def main(overrides: list[str]) -> int:
    """Same overrides as the sweep's; 1 if something could still not be logged."""
    plan = make_plan(overrides)
    folder = validate_settings(plan)
    store = open_store(plan.settings.tracking, Path(plan.settings.output).expanduser(), plan.study)
    if store is None:
        raise InputError("tracking", "off", "local or server")
    logged, unsynced = sync(store, Journal(folder), run_tags(plan))
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{logged} cells logged to MLflow, {len(unsynced)} could not be")
    for cell_id, reason in list(unsynced.items())[:5]:
        console.print(f"  {cell_id}: {reason}", markup=False)
    return 1 if unsynced else 0


if __name__ == "__main__":
    from stackel_bench.cli import run_script

    run_script("sync")
