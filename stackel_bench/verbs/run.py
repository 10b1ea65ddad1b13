"""`stackel-bench run`: one cell, a game with a learner and a budget."""

from __future__ import annotations

from stackel_bench.errors import InputError
from stackel_bench.sweeps.plan import make_plan
from stackel_bench.verbs.steps.session import command_line, run_session


def main(overrides: list[str]) -> int:
    """Like a sweep of exactly one cell; the exit code."""
    plan = make_plan(overrides)
    if len(plan.cells) != 1:
        allowed = "overrides that name one cell; `stackel-bench sweep` runs several"
        raise InputError("number of cells", len(plan.cells), allowed)
    return run_session(plan, command_line("run", overrides))
