"""Compiles what simultaneous games run on, so that no worker waits for a compiler."""

import numpy as np

from stackel_bench.families.tables.pair_confidence import warm_up as compile_confidence
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning import best_mixed_leader_strategy, worst_case_mixed_leader_strategy
from stackel_bench.planning.mixed.gaps import mixed_gap
from stackel_bench.planning.mixed.value import mixed_leader_value, mixed_leader_values


def warm_up() -> None:
    """Compile, or load from numba's cache, by solving a game of two rows in every way."""
    table = PayoffTable(np.array([[0.5, 1.0], [0.25, 0.75]]), np.eye(2))
    worst_case_mixed_leader_strategy(table, 0.1)
    best_mixed_leader_strategy(table)
    for tie_breaking in TieBreaking:
        mixed_gap(table, 0.1, tie_breaking)
        mixed_leader_value(table, [0.5, 0.5], 0.1, tie_breaking)
        mixed_leader_values(table, np.full((1, 2), 0.5), 0.1, tie_breaking)
    compile_confidence()
