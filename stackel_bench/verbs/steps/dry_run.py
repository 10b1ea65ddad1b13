"""What a sweep would do: its cells, samples and time, without doing any of it."""

import os
from collections.abc import Sequence

from rich.console import Console

from stackel_bench.execution.start import chosen_execution
from stackel_bench.results.journal import Journal
from stackel_bench.results.names import SYMBOLS
from stackel_bench.results.numbers import count, duration
from stackel_bench.sweeps.cell import Cell
from stackel_bench.sweeps.driver import missing_cells
from stackel_bench.sweeps.folder import sweep_folder
from stackel_bench.sweeps.plan import Plan
from stackel_bench.text import plural
from stackel_bench.verbs.steps.publish import tell_problems

SHOWN = 200
DECISION_SECONDS = 5e-5  # of deciding and judging once, over all families; exploring is estimated apart


def print_plan(plan: Plan) -> int:
    """Print the cells and what they cost; the exit code. Nothing is written."""
    console = Console(highlight=False, soft_wrap=True)
    folder = sweep_folder(plan)
    journal = Journal(folder)
    tell_problems(console, journal)
    todo = missing_cells(plan, journal)
    wanted = {cell.cell_id for cell in todo}
    for cell in plan.cells[:SHOWN]:
        state = "to run" if cell.cell_id in wanted else journal.state(cell.cell_id) or "later"
        samples = cell.trial.samples_at_most
        sizes = " ".join(f"{SYMBOLS.get(name, name)}={size}" for name, size in cell.trial.game.sizes.items())
        console.print(
            f"{state:<8}  {cell.cell_id}  {count(samples):>9} samples  {cell.label} · {sizes}", markup=False
        )
    if len(plan.cells) > SHOWN:
        console.print(f"... and {len(plan.cells) - SHOWN} more")
    trials = {cell.trial_id: cell.trial for cell in todo}
    seconds = rough_seconds(todo)
    samples = sum(trial.samples_at_most for trial in trials.values())
    execution = chosen_execution(plan.settings.execution, seconds)
    workers = 1 if execution.kind == "serial" else execution.num_cpus or os.cpu_count() or 1
    console.print(
        f"{plan.study}: {plural(len(plan.cells), 'cell')}, {len(todo)} to run, {count(samples)} samples, "
        f"roughly {duration(seconds / workers)} of computing on {plural(workers, 'worker')}; folder {folder}",
        markup=False,
    )
    if plan.settings.tracking.kind == "server":
        console.print("Cells that the MLflow server has are not counted here; they will be fetched, not run.")
    return 0


def rough_seconds(cells: Sequence[Cell]) -> float:
    """Seconds of one worker that these cells roughly take."""
    trials = {cell.trial_id: cell.trial for cell in cells}
    schedules = ((trial.schedule, trial.replicates) for trial in trials.values())
    exploring = sum(schedule.seconds_per_unit * schedule.units * n for schedule, n in schedules)
    decisions = sum(cell.trial.replicates * len(cell.trial.schedule.samples) for cell in cells)
    return exploring + decisions * DECISION_SECONDS
