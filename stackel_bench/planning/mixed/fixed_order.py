"""Weighted sums and small linear systems in a fixed order of operations: the same bits on every processor.

Matrix products and solvers of BLAS choose their order by processor, so their last bits differ. Plain loops
that are compiled without reordering do not; neither do numpy's own sums, whose order is part of numpy.
"""

from __future__ import annotations

import numpy as np

from stackel_bench.kernel import kernel


def weighted_rows(weights: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Payoffs [..., B] of mixtures [..., A] of the rows of a matrix [A,B], added up from the first row on.

    Of one vector of weights, or of many at once, each as if it were alone.
    """
    matrix = _read_only(matrix)
    actions, columns = matrix.shape
    mixtures = _read_only(weights.reshape(-1, actions))
    sums = np.zeros((mixtures.shape[0], columns))
    _add_rows(mixtures, matrix, sums)
    return sums[0] if weights.ndim == 1 else sums.reshape(*weights.shape[:-1], columns)


def weighted_sum(weights: np.ndarray, values: np.ndarray) -> float:
    """The sum of weights [A] times values [A], from the first one on."""
    return float(np.cumsum(weights * values)[-1])  # unlike sum, cumsum adds one at a time


def solve_systems(systems: np.ndarray, right_sides: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Determinants [N] of systems [N,n,n], and solutions [N,n] for right_sides [N,n], 0 where singular.

    Gaussian elimination with the largest pivot of each column, the first one among equals.
    """
    work = np.concatenate([systems, right_sides[..., None]], axis=2)
    determinants, solutions = np.empty(len(work)), np.zeros(right_sides.shape)
    _eliminate(work, determinants, solutions)
    return determinants, solutions


def _read_only(array: np.ndarray) -> np.ndarray:
    """The same numbers as the one type of array that the kernel is compiled for."""
    if array.flags.writeable or not array.flags.c_contiguous or array.dtype != np.float64:
        array = np.ascontiguousarray(array, dtype=np.float64).view()
        array.flags.writeable = False
    return array


@kernel(error_model="numpy")
def _add_rows(mixtures: np.ndarray, matrix: np.ndarray, sums: np.ndarray) -> None:
    for n in range(mixtures.shape[0]):
        for a in range(matrix.shape[0]):
            weight = mixtures[n, a]
            if weight != 0.0:
                for b in range(matrix.shape[1]):
                    sums[n, b] += weight * matrix[a, b]


@kernel(error_model="numpy")
def _eliminate(work: np.ndarray, determinants: np.ndarray, solutions: np.ndarray) -> None:
    size = work.shape[1]
    for n in range(work.shape[0]):
        rows = work[n]
        determinant = 1.0
        for k in range(size):
            pivot = k
            for i in range(k + 1, size):
                if abs(rows[i, k]) > abs(rows[pivot, k]):
                    pivot = i
            if pivot != k:
                determinant = -determinant
                for j in range(k, size + 1):
                    rows[k, j], rows[pivot, j] = rows[pivot, j], rows[k, j]
            determinant *= rows[k, k]
            if determinant == 0.0:
                break
            for i in range(k + 1, size):
                factor = rows[i, k] / rows[k, k]
                if factor != 0.0:
                    for j in range(k + 1, size + 1):
                        rows[i, j] -= factor * rows[k, j]
        determinants[n] = determinant
        if determinant != 0.0:
            for k in range(size - 1, -1, -1):
                total = rows[k, size]
                for j in range(k + 1, size):
                    total -= rows[k, j] * solutions[n, j]
                solutions[n, k] = total / rows[k, k]
