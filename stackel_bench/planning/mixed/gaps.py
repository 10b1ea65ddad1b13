"""Stackelberg values and the paper's gaps of a simultaneous game, over all mixed leader strategies."""

from stackel_bench import checks
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.bounds import Bounds
from stackel_bench.planning.mixed.exact_replies import exact_reply_supremum
from stackel_bench.planning.mixed.optimistic import best_mixed_leader_strategy
from stackel_bench.planning.mixed.optimistic_gap import optimistic_mixed_gap
from stackel_bench.planning.mixed.pessimistic import worst_case_mixed_leader_strategy
from stackel_bench.tolerances import ACCURACY


def mixed_stackelberg_value(
    table: PayoffTable,
    slack: float = 0.0,
    tie_breaking: str | TieBreaking = TieBreaking.PESSIMISTIC,
    accuracy: float = ACCURACY,
    time_limit: float | None = None,
) -> Bounds:
    """sup phi_slack (pessimistic) or max psi_slack (optimistic) over the simplex.

    Only the pessimistic value with slack > 0 leaves an interval wider than rounding; accuracy and time_limit
    are for that case.
    """
    slack = checks.real("slack", slack, least=0.0)
    checks.real("accuracy", accuracy, least=0.0, open_least=True)
    if TieBreaking.parse(tie_breaking) is TieBreaking.OPTIMISTIC:
        best = best_mixed_leader_strategy(table, slack)
        return Bounds(best.value, best.upper_bound)
    if slack == 0.0:
        exact = exact_reply_supremum(table)
        return Bounds(exact.supremum, exact.upper_bound)
    worst = worst_case_mixed_leader_strategy(table, slack, accuracy, time_limit)
    return Bounds(worst.value, worst.upper_bound, worst.finished)


def mixed_gap(
    table: PayoffTable,
    epsilon: float,
    tie_breaking: str | TieBreaking = TieBreaking.PESSIMISTIC,
    accuracy: float = ACCURACY,
    time_limit: float | None = None,
) -> Bounds:
    """The paper's gap: sup phi_0 - sup phi_eps (pessimistic), sup of psi_eps - psi_0 over A_eps (optimistic).

    Both are >= 0, and the interval says so.
    """
    epsilon = checks.real("epsilon", epsilon, least=0.0)
    checks.real("accuracy", accuracy, least=0.0, open_least=True)
    if TieBreaking.parse(tie_breaking) is TieBreaking.OPTIMISTIC:
        return optimistic_mixed_gap(table, epsilon)
    exact = mixed_stackelberg_value(table, 0.0, TieBreaking.PESSIMISTIC)
    tolerant = mixed_stackelberg_value(table, epsilon, TieBreaking.PESSIMISTIC, accuracy, time_limit)
    low, high = exact.low - tolerant.high, exact.high - tolerant.low
    return Bounds(max(0.0, low), max(0.0, high), tolerant.finished)
