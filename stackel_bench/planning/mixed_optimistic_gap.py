"""The optimistic gap over the simplex: how far psi_0 falls below psi_epsilon at near-optimal strategies."""

from __future__ import annotations

import numpy as np

from stackel_bench import checks
from stackel_bench.models import PayoffTable
from stackel_bench.planning.dual_simplex import INFEASIBLE, OPTIMAL, maximin
from stackel_bench.planning.fixed_order import weighted_rows, weighted_sum
from stackel_bench.planning.mixed_interval import CertifiedInterval
from stackel_bench.planning.mixed_optimistic import best_mixed_leader_strategy
from stackel_bench.planning.mixed_units import unit_payoffs
from stackel_bench.tolerances import PIVOTS, STRICT, TIE


def optimistic_mixed_gap(table: PayoffTable, epsilon: float) -> CertifiedInterval:
    """sup of psi_eps - psi_0 over strategies with psi_eps >= max psi_0 - eps; exact up to rounding.

    For a response b that psi_eps may pick and an exact best reply c, let Q(b,c) be the strategies where b is
    within eps of best, c is best, and b pays at least max psi_0 - eps. Inside Q exactly the responses T0 that
    tie with c on all of Q are best, so the supremum is max over pairs of max_Q min_{k in T0} pi.(v_b - v_k).
    It is usually approached, not attained: psi_0 jumps up on the boundary of Q.
    """
    epsilon = checks.real("epsilon", epsilon, least=0.0)
    units = unit_payoffs(table)
    leader, follower = units.leader, units.follower
    actions, responses = leader.shape
    slack = epsilon / units.follower_unit
    threshold = (best_mixed_leader_strategy(table).value - epsilon) / units.leader_unit
    # Two rows beyond "c is best": b within eps of c, and b pays enough. Rows are reference - matrix.
    matrix = np.empty((actions, responses + 2))
    matrix[:, :responses] = follower
    lower = np.zeros(responses + 2)
    lower[responses:] = -slack, threshold
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
            value, bound = _pair_gap(matrix, reference, lower, drops, tied, low)
            low, high = max(low, value), max(high, bound)
    return CertifiedInterval(low * units.leader_unit, max(low, high) * units.leader_unit)


def _pair_gap(
    matrix: np.ndarray,
    reference: np.ndarray,
    lower: np.ndarray,
    drops: np.ndarray,
    tied: np.ndarray,
    low: float,
) -> tuple[float, float]:
    """(value, certified bound) of one pair, or (-inf, -inf) if it does not exceed low."""
    # With fewer ties than T0 the program is a bound; T0 is only needed where that bound would win.
    status, bound, strategy = maximin(
        matrix, reference, lower, np.ascontiguousarray(drops[:, tied]), PIVOTS, low
    )
    if status != OPTIMAL:
        return -np.inf, -np.inf
    all_tied = _tied_throughout(matrix, reference, lower, tied)
    if all_tied.size > tied.size:
        status, bound, strategy = maximin(
            matrix, reference, lower, np.ascontiguousarray(drops[:, all_tied]), PIVOTS, low
        )
        if status != OPTIMAL:
            return -np.inf, -np.inf
    return float(weighted_rows(strategy, drops[:, all_tied]).min()), bound


def _tied_throughout(
    matrix: np.ndarray, reference: np.ndarray, lower: np.ndarray, tied: np.ndarray
) -> np.ndarray:
    """The responses that tie with the reference at every strategy of the region (T0)."""
    leads = reference[:, None] - matrix[:, : matrix.shape[1] - 2]
    undecided = np.setdiff1d(np.arange(leads.shape[1]), tied)
    if undecided.size == 0:
        return tied
    everywhere = tied
    # One program usually settles all of them: a strategy where every other response is strictly worse.
    _, _, strategy = maximin(
        matrix, reference, lower, np.ascontiguousarray(leads[:, undecided]), PIVOTS, STRICT
    )
    undecided = undecided[~_strictly_worse(strategy, matrix, reference, lower, leads[:, undecided])]
    while undecided.size:
        k = undecided[0]
        status, _, strategy = maximin(matrix, reference, lower, leads[:, k : k + 1].copy(), PIVOTS, STRICT)
        if status == OPTIMAL and weighted_sum(strategy, leads[:, k]) > STRICT:
            undecided = undecided[weighted_rows(strategy, leads[:, undecided]) <= STRICT]
        else:
            assert status != INFEASIBLE, "the region has been found non-empty"
            everywhere = np.append(everywhere, k)
            undecided = undecided[1:]
    return everywhere


def _strictly_worse(
    strategy: np.ndarray, matrix: np.ndarray, reference: np.ndarray, lower: np.ndarray, leads: np.ndarray
) -> np.ndarray:
    """Which leads are strict at a strategy; none if it is outside the region (a program cut short)."""
    inside = bool((weighted_rows(strategy, reference[:, None] - matrix) >= lower - 2 * TIE).all())
    return (weighted_rows(strategy, leads) > STRICT) & inside
