"""Queries that tell apart what is still open: a design for differences of pairs instead of pairs."""

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.design.triangular import cholesky_factor, triangular_inverse

STEPS = 60
LEAST = 1e-3  # of an equal share: what falls below it is dropped


@kernel
def difference_design(
    directions: np.ndarray, pool: np.ndarray, gram: np.ndarray, queries: float, steps: int
) -> np.ndarray:
    """Shares [p] of the next queries at pool points [p,r] that make the largest variance small.

    min over shares of max over y of y' W^-1 y, W = gram + queries * sum_x share_x x x'. That is a game
    between shares and weights of the directions y [q,r]; each side multiplies by what it gains (Silvey,
    Titterington and Torsney 1978 for the shares: with the square root the criterion falls at every step).
    """
    count, rank = pool.shape
    shares = np.full(count, 1.0 / count)
    weights = np.full(len(directions), 1.0 / len(directions))
    seen = np.empty(rank)
    for _ in range(steps):
        matrix = gram.copy()
        for x in range(count):
            if shares[x] == 0.0:
                continue
            for i in range(rank):
                for j in range(i, rank):  # the factor reads the upper half
                    matrix[i, j] += queries * shares[x] * pool[x, i] * pool[x, j]
        inverse = triangular_inverse(cholesky_factor(matrix))
        spread = np.zeros((rank, rank))  # sum of weight * (R^-T y)(R^-T y)'
        total = 0.0
        for y in range(len(directions)):
            length = 0.0
            for j in range(rank):
                seen[j] = 0.0
                for i in range(j + 1):
                    seen[j] += directions[y, i] * inverse[i, j]
                length += seen[j] * seen[j]
            weights[y] *= length
            total += weights[y]
            for i in range(rank):
                for j in range(i + 1):
                    spread[i, j] += weights[y] * seen[i] * seen[j]
        for y in range(len(directions)):
            weights[y] /= total
        total = 0.0
        for x in range(count):
            if shares[x] == 0.0:
                continue
            for j in range(rank):
                seen[j] = 0.0
                for i in range(j + 1):
                    seen[j] += pool[x, i] * inverse[i, j]
            gain = 0.0
            for i in range(rank):
                for j in range(i + 1):
                    gain += (1.0 if i == j else 2.0) * seen[i] * spread[i, j] * seen[j]
            shares[x] *= np.sqrt(max(gain, 0.0))  # 0 up to rounding where the point tells nothing
            total += shares[x]
        for x in range(count):
            shares[x] /= total
            if shares[x] * count < LEAST:
                shares[x] = 0.0
    return shares
