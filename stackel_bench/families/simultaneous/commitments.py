"""The strategy that an estimated table suggests, on the dyadic grid, with the response that it expects."""

import numpy as np

from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.mixed.optimistic import best_mixed_leader_strategy
from stackel_bench.planning.mixed.pessimistic import worst_case_mixed_leader_strategy
from stackel_bench.planning.mixed.value import dyadic_strategy, grid_margin, mixed_leader_value

GRID_BITS = 20
Commitment = tuple[np.ndarray, int, float, dict[str, float]]  # strategy, response, value, diagnostics


def commitment(
    table: PayoffTable,
    slack: float,
    epsilon: float,
    tie_breaking: TieBreaking,
    time_limit: float | None = None,
) -> Commitment:
    """The best strategy for phi_slack, within eps/8, or for psi_slack."""
    if tie_breaking is TieBreaking.PESSIMISTIC:
        return _pessimistic(table, slack, epsilon, time_limit)
    found = best_mixed_leader_strategy(table, slack)  # the best response is part of the solution
    return dyadic_strategy(found.strategy, GRID_BITS), found.response, found.value, {}


def _pessimistic(table: PayoffTable, slack: float, epsilon: float, time_limit: float | None) -> Commitment:
    """An eps/8-maximiser of phi_slack that stays one after rounding to the grid.

    Excluded responses may be excluded by a hair, which rounding can undo; then the search is repeated with
    a slack that leaves room for it (the interior shift), and the better of the two strategies is kept.
    """
    best: Commitment | None = None
    for room in (0.0, grid_margin(table, GRID_BITS)):
        found = worst_case_mixed_leader_strategy(table, slack + room, epsilon / 8, time_limit)
        strategy = dyadic_strategy(found.strategy, GRID_BITS)
        rounded = mixed_leader_value(table, strategy, slack, TieBreaking.PESSIMISTIC)
        if best is None or rounded.value > best[2]:
            diagnostics = {
                "search_finished": float(found.finished),
                "certified_shortfall": found.upper_bound - rounded.value,
                "search_nodes": float(found.nodes),
            }
            best = strategy, rounded.response, rounded.value, diagnostics
        if rounded.value >= found.value - epsilon / 8:
            break
    assert best is not None
    return best
