"""Stackelberg values and the paper's gaps of a simultaneous game, over all mixed leader strategies."""

import numpy as np

from stackel_bench import checks
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.bounds import Bounds
from stackel_bench.planning.mixed.exact_replies import exact_reply_supremum
from stackel_bench.planning.mixed.fixed_order import weighted_rows, weighted_sum
from stackel_bench.planning.mixed.optimistic import best_mixed_leader_strategy
from stackel_bench.planning.mixed.pessimistic import worst_case_mixed_leader_strategy
from stackel_bench.planning.mixed.simplex.pivots import INFEASIBLE, OPTIMAL
from stackel_bench.planning.mixed.simplex.program import unit_payoffs
from stackel_bench.planning.mixed.simplex.single import maximin, vanishes
from stackel_bench.tolerances import ACCURACY, INPUT_NOISE, NARROW, STRICT, TIE


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


# matrix, reference, lower: pi.(reference - matrix) >= lower
Region = tuple[np.ndarray, np.ndarray, np.ndarray]


def optimistic_mixed_gap(table: PayoffTable, epsilon: float) -> Bounds:
    """sup of psi_eps - psi_0 over strategies with psi_eps >= max psi_0 - eps; exact up to rounding.

    For a response b that psi_eps may pick and an exact best reply c, let Q(b,c) be the strategies where b is
    within eps of best, c is best, and b pays at least max psi_0 - eps. Inside Q exactly the responses T0 that
    tie with c on all of Q are best, so the supremum is max over pairs of max_Q min_{k in T0} pi.(v_b - v_k).
    It is usually approached, not attained: psi_0 jumps up on the boundary of Q. Where payoffs or eps are so
    small that rounding leaves open who ties with c, the interval holds both answers and is not finished.
    """
    epsilon = checks.real("epsilon", epsilon, least=0.0)
    units = unit_payoffs(table)
    leader, follower = units.leader, units.follower
    actions, responses = leader.shape
    best = best_mixed_leader_strategy(table)
    # Two rows beyond "c is best": b within eps of c, and b pays enough. Rows are reference - matrix.
    matrix = np.empty((actions, responses + 2))
    matrix[:, :responses] = follower
    lower = np.zeros(responses + 2)
    lower[responses:] = -epsilon / units.follower_unit, (best.value - epsilon) / units.leader_unit
    low, high = 0.0, 0.0
    for c in range(responses):
        reference = follower[:, c].copy()
        tied = np.flatnonzero(np.abs(follower - reference[:, None]).max(axis=0) <= TIE)
        if tied[0] < c:
            continue
        for b in range(responses):
            matrix[:, responses] = 2 * reference - follower[:, b]
            matrix[:, responses + 1] = reference - leader[:, b]
            drops = np.ascontiguousarray(leader[:, b : b + 1] - leader)
            if drops[:, tied].max(axis=0).min() <= low:
                continue
            value, bound = _pair_gap((matrix, reference, lower), drops, tied, low)
            low, high = max(low, value), max(high, bound)
    if best.upper_bound - best.value > NARROW * units.leader_unit:
        low = 0.0  # which strategies compete is open
    high = max(low, high)
    return Bounds(low * units.leader_unit, high * units.leader_unit, high - low <= NARROW)


def _pair_gap(region: Region, drops: np.ndarray, tied: np.ndarray, low: float) -> tuple[float, float]:
    """(value, certified bound) of one pair; (-inf, -inf) if it cannot exceed low."""
    # With fewer ties than T0 the program is a bound; T0 is only needed where that bound would win.
    status, bound, _ = _least_drop(region, drops, tied, low)
    if status == INFEASIBLE or bound <= low:
        return -np.inf, -np.inf
    possibly = _possibly_tied(region, tied) if status == OPTIMAL else tied
    surely = np.array([k for k in possibly if k in tied or _surely_tied(region, k)])
    if surely.size > tied.size:
        status, bound, _ = _least_drop(region, drops, surely, low)
        if status == INFEASIBLE or bound <= low:
            return -np.inf, -np.inf
    status, high, strategy = _least_drop(region, drops, possibly, low)
    if status != OPTIMAL:
        return -np.inf, bound
    value = float(weighted_rows(strategy, drops[:, possibly]).min())
    return value - (high - value), bound  # a vertex may be outside by as much as the bound is relaxed


def _least_drop(
    region: Region, drops: np.ndarray, tied: np.ndarray, low: float
) -> tuple[int, float, np.ndarray]:
    """The program max_Q min_{k in tied} pi.drops_k."""
    return maximin(*region, np.ascontiguousarray(drops[:, tied]), low)


def _surely_tied(region: Region, k: int) -> bool:
    """Whether response k is proved to tie with the reference, which is best, throughout the region."""
    matrix, reference, lower = region
    return bool(vanishes(matrix, reference, lower, reference - matrix[:, k], INPUT_NOISE))


def _possibly_tied(region: Region, tied: np.ndarray) -> np.ndarray:
    """The responses whose lag behind the reference is nowhere in the region more than rounding."""
    matrix, reference, lower = region
    leads = reference[:, None] - matrix[:, : matrix.shape[1] - 2]
    undecided = np.setdiff1d(np.arange(leads.shape[1]), tied)
    if undecided.size == 0:
        return tied
    everywhere = tied
    # One program usually settles all of them: a strategy where every other response is strictly worse.
    _, _, strategy = maximin(*region, np.ascontiguousarray(leads[:, undecided]), STRICT)
    inside = (weighted_rows(strategy, reference[:, None] - matrix) >= lower - 2 * TIE).all()
    if inside:  # not so if the program was cut short
        undecided = undecided[weighted_rows(strategy, leads[:, undecided]) <= STRICT]
    while undecided.size:
        k = undecided[0]
        status, _, strategy = maximin(*region, leads[:, k : k + 1].copy(), STRICT)
        if status == OPTIMAL and weighted_sum(strategy, leads[:, k]) > STRICT:
            undecided = undecided[weighted_rows(strategy, leads[:, undecided]) <= STRICT]
        else:
            everywhere = np.append(everywhere, k)
            undecided = undecided[1:]
    return everywhere
