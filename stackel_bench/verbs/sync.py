"""`stackel-bench sync`: log to MLflow whatever a sweep's journal has and MLflow has not."""

from rich.console import Console

from stackel_bench.errors import InputError, NoEffectError
from stackel_bench.results import files
from stackel_bench.results.journal import Journal
from stackel_bench.sweeps.folder import locked, require_writable
from stackel_bench.text import plural
from stackel_bench.tracking.mirror import sync
from stackel_bench.tracking.start import in_background, open_store, store_uri, wait_for
from stackel_bench.verbs.steps.find import read_results, tracking_settings
from stackel_bench.verbs.steps.publish import log_report, run_tags, tell_problems
from stackel_bench.verbs.steps.reconcile import store_errors


def main(overrides: list[str]) -> int:
    """Same overrides as the sweep's, or `study=NAME` or `sweep=ID`; 1 if something could not be logged."""
    settings = tracking_settings(overrides)
    if settings.kind == "off":
        raise NoEffectError("sync", "tracking=off logs nothing; choose tracking=local or server")
    results = read_results(overrides)
    output = results.folder.parent.parent
    if not any(word.startswith("tracking") for word in overrides) and not (output / "mlflow.db").exists():
        sentence = f"{output} has no mlflow.db: type the sweep's own tracking, or tracking=local to make one"
        raise InputError("tracking", None, "the sweep's own", sentence)
    require_writable(results.folder)
    console = Console(highlight=False, soft_wrap=True)
    problem = ""
    tell_problems(console, results.journal)
    with locked(results.folder), store_errors(settings, output):
        store = wait_for(in_background(open_store, settings, output, results.study), settings.open_seconds)
        tags = run_tags(results.sweep_id)
        logged, unsynced = sync(store, Journal(results.folder), tags, settings.patience)
        if (results.folder / files.REPORT).exists() and not unsynced:
            problem = log_report(results, store, tags)
    destination = store_uri(settings, output)
    console.print(f"{plural(logged, 'cell')} logged to MLflow at {destination}, {len(unsynced)} could not be")
    for cell_id, reason in list(unsynced.items())[:5]:
        console.print(f"  {cell_id}: {reason}", markup=False)
    if problem:
        console.print(f"the report could not be logged: {problem}", markup=False)
    return 1 if unsynced or problem else 0
