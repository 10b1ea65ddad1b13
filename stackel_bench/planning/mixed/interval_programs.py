"""Commitments and bounds over the simplex when payoffs are known as intervals, by programs for known ones.

low <= leader mean <= high [A,B], and difference [A,B,B]: w(a,c) - w(a,b) <= difference[a,c,b]. A strategy x
weights all of them as it weights payoffs, so that a bound of docs/certified.md, for one reference reply c, is
the value of a table whose follower payoffs are differences to c.
"""

import math
from typing import NamedTuple

import numpy as np

from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.mixed.simplex.branch_and_bound import search_commitment
from stackel_bench.planning.mixed.simplex.program import unit_payoffs
from stackel_bench.planning.mixed.simplex.single import best_response_regions
from stackel_bench.planning.mixed.value import grid_margin
from stackel_bench.tolerances import VALUE


class Found(NamedTuple):
    """A value over all strategies with a strategy [A] that comes near it; None where there is none."""

    value: float
    strategy: np.ndarray | None


def largest_upper_bound(
    high: np.ndarray, difference: np.ndarray, epsilon: float, tie_breaking: TieBreaking, accuracy: float
) -> Found:
    """At least sup over x of phi+_eps (pessimistic) or psi+_0 (optimistic), up to accuracy; certified.

    Pessimistic, reference c: max t with x.d+_cb >= 0 for all b, x.v+_c >= t, and for each other b x.v+_b >= t
    or x.d+_cb > eps. Optimistic, reply b: max x.v+_b with x.d+_bk >= 0 for all k.
    """
    found = Found(-math.inf, None)
    for reply in range(high.shape[1]):
        table = PayoffTable(high, -difference[:, reply, :])
        if tie_breaking is TieBreaking.PESSIMISTIC:
            new = _worst_case(table, reply, epsilon, accuracy, found.value)
        else:
            new = _best_case(table, reply, 0.0)
        if new.value > found.value:
            found = Found(new.value, found.strategy if new.strategy is None else new.strategy)
    return Found(found.value + VALUE, found.strategy)


def best_lower_bound(
    low: np.ndarray, difference: np.ndarray, epsilon: float, tie_breaking: TieBreaking, accuracy: float
) -> Found:
    """A strategy with a large phi-_{eps/2} (pessimistic) or psi-_eps (optimistic), also after rounding it.

    Pessimistic, reference c: max t with, for each b, x.v-_b >= t or x.d-_cb > eps/2; c need not be best.
    Optimistic, reply b: max x.v-_b with x.d-_bk >= -eps for all k. The value is the program's.
    """
    found = Found(-math.inf, None)
    for reply in range(low.shape[1]):
        behind = difference[:, :, reply]  # -d-(reply, .)
        margin = grid_margin(PayoffTable(low, behind))
        if tie_breaking is TieBreaking.PESSIMISTIC:
            # Lowering all others by `room` makes the reference best everywhere: that is no condition here.
            room = max(0.0, float(behind.max()))
            lowered = behind - room
            lowered[:, reply] = 0.0
            slack = epsilon / 2 + room + margin
            new = _worst_case(PayoffTable(low, lowered), reply, slack, accuracy, found.value)
        else:
            new = _best_case(PayoffTable(low, behind), reply, epsilon - margin)
        if new.strategy is not None and new.value > found.value:
            found = new
    return found


def possible_replies(difference: np.ndarray, slack: float) -> np.ndarray:
    """Which replies [B] may be within slack of the best one: x.d+_bk >= -slack for all k, for some x."""
    actions, size = difference.shape[:2]
    flat = np.zeros((actions, size))
    tables = (PayoffTable(flat, -difference[:, reply, :]) for reply in range(size))
    return np.array([_best_case(table, b, slack).strategy is not None for b, table in enumerate(tables)])


def _worst_case(table: PayoffTable, reference: int, slack: float, accuracy: float, floor: float) -> Found:
    strategy, bound, _ = search_commitment(table, slack, accuracy, only=reference, floor=floor)
    return Found(bound, strategy / strategy.sum() if strategy.any() else None)


def _best_case(table: PayoffTable, reply: int, slack: float) -> Found:
    """The program of one reply: the leader's payoffs for all others are made too low to count."""
    units = unit_payoffs(table)
    lowest = units.leader.min() - 1.0
    leader = np.full(units.leader.shape, lowest)
    leader[:, reply] = units.leader[:, reply]
    response, bound, strategy = best_response_regions(
        units.follower, leader, slack / units.follower_unit, leader.max(axis=0), np.array([reply])
    )
    value = float(bound) * units.leader_unit if bound > lowest else -math.inf
    return Found(value, strategy if response == reply else None)
