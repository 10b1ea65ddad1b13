"""A near-optimal design on a pool of rows that fits in memory: Frank-Wolfe from rows of large volume."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr, solve_triangular

from stackel_bench.errors import InputError

WORST_CONDITION = 1e13  # leverages under such a design keep about three digits
REFRESH = 100  # steps between two recomputations of the inverse, against drift of the rank-one updates


def start_weights(pool: np.ndarray) -> np.ndarray:
    """Uniform weights [m] on r rows of large volume, for a pool [m,r] of rank r.

    Pivoted QR of the whitened rows picks, one after the other, the row farthest from the span of those
    before: the Kumar-Yildirim start with the best direction instead of a random one.
    """
    rank = pool.shape[1]
    whitened = pool @ triangular_inverse(_factor(pool))
    pivots = qr(whitened.T, mode="r", pivoting=True, check_finite=False)[1][:rank]
    weights = np.zeros(len(pool))
    weights[pivots] = 1 / rank
    return weights


def pool_design(pool: np.ndarray, weights: np.ndarray, target: float) -> tuple[np.ndarray, float]:
    """Weights [m] whose largest leverage over the pool [m,r] is <= target, and that leverage; r < target.

    Frank-Wolfe (Fedorov-Wynn): lambda = (k/r - 1)/(k - 1) moves weight to the row of largest leverage k, with
    rank-one updates of V^-1 and of all leverages.
    """
    rank = pool.shape[1]
    weights = weights.copy()
    while True:
        factor = design_factor(pool, weights)
        inverse = triangular_inverse(factor)
        _reject_ill_conditioned(factor, inverse)
        rows = pool @ inverse  # V is the identity in these coordinates
        leverages = np.einsum("ij,ij->i", rows, rows)
        if leverages.max() <= target:
            return weights, float(leverages.max())
        inverse = np.eye(rank)
        for _ in range(REFRESH):
            worst = int(leverages.argmax())
            k = leverages[worst]
            if k <= target:
                break
            step = (k / rank - 1) / (k - 1)
            direction = inverse @ rows[worst]
            share = step / (1 - step + step * k)
            leverages = (leverages - share * (rows @ direction) ** 2) / (1 - step)
            inverse = (inverse - share * np.outer(direction, direction)) / (1 - step)
            weights *= 1 - step
            weights[worst] += step


def design_factor(pool: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Upper triangular R [r,r] with R^T R = V = sum_j w_j y_j y_j^T; V itself would square the condition."""
    support = np.nonzero(weights)[0]
    return _factor(pool[support] * np.sqrt(weights[support])[:, None])


def _reject_ill_conditioned(factor: np.ndarray, inverse: np.ndarray) -> None:
    size, inverse_size = np.linalg.norm(factor), np.linalg.norm(inverse)
    if not size * inverse_size < WORST_CONDITION:
        found = f"directions of sizes {size:.3g} and {1 / inverse_size:.3g}"
        allowed = f"sizes within a factor of {WORST_CONDITION:.0e}, else double precision loses the smaller"
        raise InputError("features", found, allowed)


def _factor(rows: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.qr(rows, mode="r"))


def triangular_inverse(factor: np.ndarray) -> np.ndarray:
    """The inverse [r,r] of an upper triangular factor."""
    return np.asarray(solve_triangular(factor, np.eye(len(factor)), check_finite=False))
