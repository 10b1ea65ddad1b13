"""Programs over intervals against HiGHS and against every game that the intervals allow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from stackel_bench.learners.certified.rows import RowBounds, row_bounds
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.mixed.gaps import mixed_stackelberg_value
from stackel_bench.planning.mixed.interval_programs import (
    best_lower_bound,
    largest_upper_bound,
    possible_replies,
)
from stackel_bench.planning.mixed.value import dyadic_strategy, mixed_leader_value

EPSILON, ACCURACY, LARGE = 0.2, 1e-4, 10.0
Known = tuple[PayoffTable, np.ndarray, np.ndarray, np.ndarray]


def intervals(seed: int, width: float = 0.2, shape: tuple[int, int] = (3, 4)) -> Known:
    """A table, and bounds low, high, difference that it keeps to."""
    rng = np.random.default_rng(seed)
    leader, follower = rng.uniform(size=(2, *shape))
    low, high = (leader + sign * rng.uniform(0, width, shape) for sign in (-1, 1))
    difference = follower[:, :, None] - follower[:, None, :]
    difference = difference + rng.uniform(0, width, difference.shape)
    difference[:, range(shape[1]), range(shape[1])] = 0.0
    return PayoffTable(leader, follower), low, high, difference


def at(
    strategy: np.ndarray, low: np.ndarray, high: np.ndarray, difference: np.ndarray, tie: TieBreaking
) -> RowBounds:
    """The bounds of one strategy, by plain sums."""
    apart = np.einsum("a,abk->bk", strategy, difference)[None]
    return row_bounds((strategy @ low)[None], (strategy @ high)[None], apart, EPSILON, tie)


def disjunctions(values: np.ndarray, leads: np.ndarray, slack: float, region: bool, reference: int) -> float:
    """max t over x with, for each b, x.values_b >= t or x.leads_b >= slack, by HiGHS; -inf if infeasible.

    With a region x.leads_b >= 0 for all b too. Variables: x [A], t, one switch per reply.
    """
    actions, size = values.shape
    cost = np.zeros(actions + 1 + size)
    cost[actions] = -1
    rows, least = [np.r_[np.ones(actions), np.zeros(1 + size)]], [1.0]
    for b in range(size):
        switch = np.eye(size)[b]
        rows.append(np.r_[values[:, b], -1.0, LARGE * switch])
        least.append(0.0)
        if b == reference:
            rows.append(np.r_[np.zeros(actions + 1), -switch])
            least.append(0.0)
            continue
        rows.append(np.r_[leads[:, b], 0.0, -LARGE * switch])
        least.append(slack - LARGE)
        if region:
            rows.append(np.r_[leads[:, b], 0.0, 0 * switch])
            least.append(0.0)
    most = np.full(len(rows), np.inf)
    most[0] = 1.0
    bounds = Bounds(
        np.r_[np.zeros(actions), -LARGE, np.zeros(size)], np.r_[np.ones(actions), LARGE, np.ones(size)]
    )
    found = milp(
        cost,
        constraints=LinearConstraint(np.array(rows), least, most),
        integrality=np.r_[np.zeros(actions + 1), np.ones(size)],
        bounds=bounds,
        options={"mip_rel_gap": 0.0},
    )
    return -np.inf if found.x is None else float(-found.fun)


def linear(value: np.ndarray, leads: np.ndarray, slack: float) -> float:
    """max x.value over x with x.leads_k >= -slack for all k, by HiGHS; -inf if infeasible."""
    found = linprog(
        -value, A_ub=-leads.T, b_ub=np.full(leads.shape[1], slack), A_eq=np.ones((1, len(value))), b_eq=[1]
    )
    return -np.inf if found.x is None else float(-found.fun)


@pytest.mark.parametrize("seed", range(8))
def test_programs_have_the_values_that_highs_finds(seed: int) -> None:
    _, low, high, difference = intervals(seed)
    replies = range(low.shape[1])
    pessimistic, optimistic = TieBreaking.PESSIMISTIC, TieBreaking.OPTIMISTIC
    wanted = max(disjunctions(high, difference[:, c, :], EPSILON, True, c) for c in replies)
    found = largest_upper_bound(high, difference, EPSILON, pessimistic, ACCURACY)
    assert wanted - 1e-6 <= found.value <= wanted + ACCURACY + 1e-6
    wanted = max(linear(high[:, b], difference[:, b, :], 0.0) for b in replies)
    assert largest_upper_bound(high, difference, EPSILON, optimistic, ACCURACY).value == pytest.approx(
        wanted, abs=1e-6
    )
    programs = {
        pessimistic: max(disjunctions(low, -difference[:, :, c], EPSILON / 2, False, c) for c in replies),
        optimistic: max(linear(low[:, b], -difference[:, :, b], EPSILON) for b in replies),
    }
    for tie, value in programs.items():
        strategy = best_lower_bound(low, difference, EPSILON, tie, ACCURACY).strategy
        if strategy is None:
            assert value == -np.inf
        else:
            reached = at(dyadic_strategy(strategy), low, high, difference, tie).win[0]
            assert reached >= value - ACCURACY - 2e-4
    feasible = [linear(np.zeros(len(low)), difference[:, b, :], EPSILON) > -1 for b in replies]
    np.testing.assert_array_equal(possible_replies(difference, EPSILON), feasible)


@pytest.mark.parametrize("tie", list(TieBreaking))
@pytest.mark.parametrize("seed", range(6))
def test_bounds_hold_for_the_game_within_them_and_are_exact_without_width(
    seed: int, tie: TieBreaking
) -> None:
    own, best = (EPSILON / 2, EPSILON) if tie is TieBreaking.PESSIMISTIC else (EPSILON, 0.0)
    table, low, high, difference = intervals(seed)
    value = mixed_stackelberg_value(table, best, tie)
    upper = largest_upper_bound(high, difference, EPSILON, tie, ACCURACY)
    assert upper.value >= value.low
    rng = np.random.default_rng(seed)
    candidates = [*rng.dirichlet(np.full(3, 0.5), 200), np.array([1.0, 0.0, 0.0])]
    found = best_lower_bound(low, difference, EPSILON, tie, ACCURACY).strategy
    for strategy in candidates if found is None else [*candidates, found]:
        rounded = dyadic_strategy(strategy)
        bounds = at(rounded, low, high, difference, tie)
        assert bounds.win[0] <= mixed_leader_value(table, rounded, own, tie).value + 1e-12
        assert bounds.challenge[0] <= upper.value
    exact = table.follower_means[:, :, None] - table.follower_means[:, None, :]
    tight = largest_upper_bound(table.leader_means, exact, EPSILON, tie, ACCURACY).value
    assert value.low - 1e-6 <= tight <= value.high + ACCURACY + 1e-6
