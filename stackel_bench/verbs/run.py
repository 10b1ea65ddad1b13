"""`stackel-bench run`: one cell, a game with a learner and a budget."""

from stackel_bench.errors import InputError
from stackel_bench.sweeps.plan import make_plan
from stackel_bench.verbs.steps.session import command_line, run_session


def main(overrides: list[str]) -> int:
    """Like a sweep of exactly one cell; the exit code."""
    plan = make_plan(overrides)
    if len(plan.cells) != 1:
        sentence = f"these are {len(plan.cells)} cells, and run takes one; `stackel-bench sweep` runs several"
        raise InputError("cells", len(plan.cells), "one", sentence)
    return run_session(plan, command_line("run", overrides))
