"""Values, gaps and what they allow, by the exact oracles."""

from __future__ import annotations

import itertools
import math

import numpy as np

from stackel_bench.claims.case import Case
from stackel_bench.planning.bounds import Bounds
from stackel_bench.planning.design.core_set import CoreSet, core_set
from stackel_bench.planning.mixed.value import mixed_leader_value
from stackel_bench.tolerances import VALUE

EPSILON_GRID = tuple(float(e) for e in np.linspace(0, 1, 41))


def gap(case: Case) -> Bounds:
    """The paper's gap at epsilon."""
    return case.oracle.gap(case.epsilon, case.tie_breaking)


def value_at_slack(case: Case) -> Bounds:
    """max phi_eps or psi_eps (sup over the simplex)."""
    return case.oracle.stackelberg_value(case.epsilon, case.tie_breaking)


def value_exact(case: Case) -> Bounds:
    """max phi_0 or psi_0."""
    return case.oracle.stackelberg_value(0.0, case.tie_breaking)


def largest_decrease_of_gap(case: Case) -> float:
    """How much the gap ever falls as epsilon grows from 0 to 1; 0 if it is monotone."""
    gaps = [case.oracle.gap(e, case.tie_breaking) for e in EPSILON_GRID]
    return max(0.0, *(left.low - right.high for left, right in itertools.pairwise(gaps)))


def loss_of_relaxed_choice(case: Case) -> float:
    """max phi_0 - phi_0(argmax phi_eps): what the best choice at slack epsilon loses at slack 0."""
    exact, relaxed = case.leader_values(0.0), case.leader_values(case.epsilon)
    return float(exact.max() - exact[relaxed.argmax()])


def fall_of_the_lemmas_game(case: Case) -> float:
    """max phi_eps1 - max phi_eps2 on the lemma's game, eps2 = epsilon and (eps1 + eps2)/2 its preference."""
    lower = 2 * float(case.table.follower_means[0, 0]) - case.epsilon
    values = (case.oracle.stackelberg_value(slack, case.tie_breaking) for slack in (lower, case.epsilon))
    return next(values).low - next(values).high


def gap_below_separation(case: Case) -> float:
    """The gap just below the smallest lead that any row's best response has over its second best."""
    ordered = np.sort(case.table.follower_means, axis=1)
    lead = float((ordered[:, -1] - ordered[:, -2]).min())
    return case.oracle.gap(0.99 * lead, case.tie_breaking).high


def rows_that_violate(case: Case) -> float:
    """Leader actions that the theorem's first line rules out: phi_{eps/2}(a) < max phi_eps - eps."""
    wanted = case.leader_values(case.epsilon).max() - case.epsilon
    return float((case.leader_values(case.epsilon / 2) < wanted - VALUE).sum())


def worst_row_excess(case: Case) -> float:
    """By how much the worst leader action exceeds the loss that the theorem allows; 0 at equality."""
    wanted = case.leader_values(case.epsilon).max() - case.epsilon
    return float(wanted - case.leader_values(case.epsilon / 2).min())


def middle_outside_cell(case: Case) -> float:
    """1 if two strategies with equal response sets have a midpoint with another one, else 0 (A = 2).

    Looks along the segment of mixed strategies on a grid of 65 dyadic points.
    """
    grid = [np.array([k / 64, 1 - k / 64]) for k in range(65)]
    found = (mixed_leader_value(case.table, point, case.epsilon, case.tie_breaking) for point in grid)
    cells = [tuple(value.responses) for value in found]
    ends = ((i, j) for i in range(65) for j in range(i + 2, 65, 2))
    return float(any(cells[i] == cells[j] != cells[(i + j) // 2] for i, j in ends))


def leverage_per_dimension(case: Case) -> float:
    """The core set's largest leverage over the rank of the features; the paper asks for at most 2."""
    design = _design(case)
    return design.max_leverage / design.rank


def core_set_excess(case: Case) -> float:
    """K - (4 d loglog d + 16), loglog taken as 0 where it is negative or undefined."""
    design = _design(case)
    rank = design.rank
    loglog = max(0.0, math.log(math.log(rank))) if rank > 2 else 0.0
    return len(design.indices) - (4 * rank * loglog + 16)


def passes_per_dimension(case: Case) -> float:
    """Reads of all AB features that the core set takes, each of ABd numbers, over the rank: at most ABd^2."""
    design = _design(case)
    return design.passes / design.rank


def weights_over_their_sum(case: Case) -> float:
    """The largest sum_j |w_j| / |sum_j w_j|, w_j = rho_j phi^T G^-1 phi_j: 1 if | | stood outside the sum."""
    weights = _prediction_weights(case)
    return float((np.abs(weights).sum(axis=1) / np.abs(weights.sum(axis=1))).max())


def weights_over_root(case: Case) -> float:
    """The largest sum_j |w_j| over sqrt(2 d): at most 1 by Jensen and the design's leverage."""
    return float(np.abs(_prediction_weights(case)).sum(axis=1).max()) / math.sqrt(2 * _design(case).rank)


def _prediction_weights(case: Case) -> np.ndarray:
    """By how much the mean at each core point enters the prediction of each pair, [pair, core point]."""
    design, features = _design(case), case.model.features
    points = features.pairs(design.indices)
    information = points.T @ (design.weights[:, None] * points)
    rows = features.pairs(np.arange(math.prod(features.shape[:2])))
    return np.asarray(rows @ np.linalg.pinv(information) @ points.T * design.weights)


def _design(case: Case) -> CoreSet:
    return core_set(case.model.features)
