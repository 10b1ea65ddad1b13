"""A near-optimal design on a pool of rows that fits in memory: Frank-Wolfe from rows of large volume."""

import math
from dataclasses import dataclass

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.kernel import kernel
from stackel_bench.planning.design.feature_products import products, squared_lengths
from stackel_bench.planning.design.triangular import condition, triangular_factor, triangular_inverse
from stackel_bench.tolerances import WORST_CONDITION

REFRESH = 100  # steps between two recomputations of the inverse, against drift of the rank-one updates


def start_weights(pool: np.ndarray) -> np.ndarray:
    """Uniform weights [m] on r rows of large volume, for a pool [m,r] of rank r.

    Each row is, among the whitened ones, the farthest from the span of those before: the Kumar-Yildirim start
    with the best direction instead of a random one.
    """
    factor = triangular_factor(pool)
    inverse = triangular_inverse(factor)
    # A direction that only one of m rows shows is sqrt(m) times smaller here than under a design.
    _reject_ill_conditioned(factor, inverse, WORST_CONDITION * math.sqrt(len(pool)))
    weights = np.zeros(len(pool))
    weights[_spread_rows(_turned(products(pool, inverse)))] = 1 / pool.shape[1]
    return weights


@dataclass(frozen=True, eq=False)
class PoolDesign:
    """Weights [m] with sum_j w_j y_j y_j^T = R^T R, R = factor [r,r], and the pool's largest leverage."""

    weights: np.ndarray
    factor: np.ndarray
    inverse: np.ndarray
    max_leverage: float


def pool_design(pool: np.ndarray, weights: np.ndarray, target: float) -> PoolDesign:
    """The design whose largest leverage over the pool [m,r] is <= target, from these weights [m]; r < target.

    Frank-Wolfe (Fedorov-Wynn): lambda = (k/r - 1)/(k - 1) moves weight to the row of largest leverage k, with
    rank-one updates of V^-1 and of all leverages.
    """
    weights = weights.copy()
    while True:
        support = np.nonzero(weights)[0]  # R of the rows: V itself would square the condition
        factor = triangular_factor(pool[support] * np.sqrt(weights[support])[:, None])
        inverse = triangular_inverse(factor)
        _reject_ill_conditioned(factor, inverse, WORST_CONDITION)
        leverages = squared_lengths(pool, inverse)
        if leverages.max() <= target:
            return PoolDesign(weights, factor, inverse, float(leverages.max()))
        # V is the identity in these coordinates.
        _frank_wolfe(_turned(products(pool, inverse)), leverages, weights, target)


def _reject_ill_conditioned(factor: np.ndarray, inverse: np.ndarray, worst: float) -> None:
    """Raise an InputError where a direction of the features is too small beside the largest one."""
    if not condition(factor, inverse) <= worst:
        with np.errstate(all="ignore"):
            sizes = np.sqrt((factor * factor).sum()), 1 / np.sqrt((inverse * inverse).sum())
        found = f"directions of sizes {sizes[0]:.3g} and {sizes[1]:.3g}"
        allowed = (
            f"sizes within a factor of {WORST_CONDITION:.0e}, else double precision loses the smaller one: "
            "leave that direction out, or give the features in another basis (np.linalg.qr(features)[0])"
        )
        raise InputError("features", found, allowed)


def _turned(rows: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(rows.T)


@kernel
def _along(turned: np.ndarray, direction: np.ndarray, sums: np.ndarray) -> None:
    """Each row's product with a direction [r]; rows are the columns of turned [r,m]."""
    sums[:] = 0.0
    for k in range(len(direction)):
        share = direction[k]
        if share != 0.0:
            for i in range(len(sums)):
                sums[i] += share * turned[k, i]


@kernel
def _spread_rows(turned: np.ndarray) -> np.ndarray:
    """r rows, each the farthest from the span of those before; rows of turned [r,m] are orthonormal.

    Hence the squared distances sum to the number of steps left, and the largest is far above rounding.
    """
    rank, count = turned.shape
    chosen = np.empty(rank, dtype=np.int64)
    basis = np.zeros((rank, rank))
    distances, sums = np.zeros(count), np.empty(count)
    for k in range(rank):
        for i in range(count):
            distances[i] += turned[k, i] * turned[k, i]
    for step in range(rank):
        chosen[step] = np.argmax(distances)
        direction = turned[:, chosen[step]].copy()
        for _ in range(2):  # twice is enough for orthogonality
            for before in range(step):
                share = 0.0
                for k in range(rank):
                    share += basis[before, k] * direction[k]
                for k in range(rank):
                    direction[k] -= share * basis[before, k]
        length = 0.0
        for k in range(rank):
            length += direction[k] * direction[k]
        basis[step] = direction / np.sqrt(length)
        _along(turned, basis[step], sums)
        for i in range(count):
            distances[i] -= sums[i] * sums[i]
        distances[chosen[step]] = -1.0
    return chosen


@kernel
def _frank_wolfe(turned: np.ndarray, leverages: np.ndarray, weights: np.ndarray, target: float) -> None:
    """At most REFRESH steps on rows that are the columns of turned [r,m]; leverages and weights change."""
    rank, count = turned.shape
    inverse = np.eye(rank)
    direction, sums = np.empty(rank), np.empty(count)
    for _ in range(REFRESH):
        worst = np.argmax(leverages)
        largest = leverages[worst]
        if largest <= target:
            break
        step = (largest / rank - 1) / (largest - 1)
        direction[:] = 0.0
        for k in range(rank):
            entry = turned[k, worst]
            for j in range(rank):
                direction[j] += entry * inverse[k, j]
        share = step / (1 - step + step * largest)
        _along(turned, direction, sums)
        for i in range(count):
            leverages[i] = (leverages[i] - share * sums[i] * sums[i]) / (1 - step)
            weights[i] *= 1 - step
        for k in range(rank):
            entry = share * direction[k]
            for j in range(rank):
                inverse[k, j] = (inverse[k, j] - entry * direction[j]) / (1 - step)
        weights[worst] += step
