"""`stackel-bench sweep`: every cell of a study or of the product that the overrides span."""

import sys

from stackel_bench.sweeps.plan import make_plan
from stackel_bench.text import plural
from stackel_bench.verbs.steps.session import command_line, run_session


def main(overrides: list[str]) -> int:
    """Plan, check, run what is missing, report; the exit code."""
    plan = make_plan(
        overrides, lambda planned: print(f"planning: {plural(planned, 'cell')} so far", file=sys.stderr)
    )
    return run_session(plan, command_line("sweep", overrides))
