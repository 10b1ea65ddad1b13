"""All extreme Nash equilibria of a small payoff table, by enumerating the vertices of both polytopes."""

import itertools
import math
from dataclasses import dataclass

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.models import PayoffTable
from stackel_bench.planning.mixed.fixed_order import solve_systems, weighted_rows, weighted_sum
from stackel_bench.tolerances import SINGULAR, TIGHT

MOST_BASES = 20_000  # subsets of constraints that are solved: 8 x 8 tables are within it


@dataclass(frozen=True, eq=False)
class MixedNash:
    """Both players' strategies [A] and [B] and what they earn."""

    leader_strategy: np.ndarray
    follower_strategy: np.ndarray
    leader_value: float
    follower_value: float


def nash_equilibria(table: PayoffTable) -> list[MixedNash]:
    """The extreme equilibria, of which every other one is a mixture; in order of the strategies.

    x is a vertex of {x >= 0, W'x <= 1}, y one of {y >= 0, V y <= 1}, payoffs made positive, and every action
    of either player is unplayed or a best response (the labels of the two vertices cover all actions).
    """
    rows, columns = table.shape
    require_enumerable(rows, columns)
    means = table.leader_means, table.follower_means
    leader, follower = (_positive(each) for each in means)
    x_points, x_labels = _vertices(follower.T)  # labels: unplayed rows, then best responses among columns
    y_points, y_labels = _vertices(leader)  # labels: unplayed columns, then best responses among rows
    found = []
    for x, played_x in zip(x_points, x_labels, strict=True):
        covered_rows = played_x[:rows] | y_labels[:, columns:]
        covered_columns = played_x[rows:] | y_labels[:, :columns]
        for index in np.flatnonzero(covered_rows.all(axis=1) & covered_columns.all(axis=1)):
            strategies = x / x.sum(), y_points[index] / y_points[index].sum()
            values = (weighted_sum(strategies[1], weighted_rows(strategies[0], each)) for each in means)
            found.append(MixedNash(*strategies, *values))
    return sorted(found, key=lambda nash: (*nash.leader_strategy, *nash.follower_strategy))


def follower_gain(table: PayoffTable, leader_strategy: np.ndarray, follower_strategy: np.ndarray) -> float:
    """How much more than its strategy [B] the follower's best response to a strategy [A] earns."""
    payoffs = weighted_rows(leader_strategy, table.follower_means)
    return max(0.0, float(payoffs.max()) - weighted_sum(follower_strategy, payoffs))


def require_enumerable(rows: int, columns: int) -> None:
    """Raise an InputError where the table has too many vertices to try."""
    if max(math.comb(rows + columns, rows), math.comb(rows + columns, columns)) > MOST_BASES:
        allowed = f"sizes with at most {MOST_BASES} vertices to try, such as 8 x 8"
        raise InputError("sizes of the table", (rows, columns), allowed)


def _positive(means: np.ndarray) -> np.ndarray:
    """The payoffs on a scale from 1 to 2; equilibria stay what they are."""
    spread = float(np.ptp(means))
    return np.asarray(1 + (means - means.min()) / (spread if spread > 0 else 1.0))


def _vertices(payoffs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices [v,n] of {z >= 0, payoffs z <= 1} except 0, and which constraints [v,n+m] are tight there."""
    others, size = payoffs.shape
    constraints = np.vstack([-np.eye(size), payoffs])
    bounds = np.concatenate([np.zeros(size), np.ones(others)])
    bases = np.array(list(itertools.combinations(range(size + others), size)))
    determinants, points = solve_systems(constraints[bases], bounds[bases])
    points = points[np.abs(determinants) > SINGULAR]
    slack = bounds - weighted_rows(points, constraints.T)
    kept = (slack >= -TIGHT).all(axis=1) & (points.sum(axis=1) > TIGHT)
    points = np.maximum(points[kept], 0.0)
    _, first = np.unique(np.round(points, 9), axis=0, return_index=True)
    first = np.sort(first)
    return points[first], np.abs(slack[kept][first]) <= TIGHT
