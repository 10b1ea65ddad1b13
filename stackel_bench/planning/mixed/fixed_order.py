"""Weighted sums and small linear systems in a fixed order of operations: the same bits on every processor.

Matrix products and solvers of BLAS choose their order by processor, so their last bits differ. Plain loops
that are compiled without reordering do not; neither do numpy's own sums, whose order is part of numpy.
"""

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
    every, size = np.arange(len(work)), right_sides.shape[1]
    determinants, solutions = np.ones(len(work)), np.zeros(right_sides.shape)
    with np.errstate(divide="ignore", invalid="ignore"):  # singular ones go on with what is not finite
        for k in range(size):
            pivots = k + np.abs(work[:, k:, k]).argmax(axis=1)
            work[every, k], work[every, pivots] = work[every, pivots], work[every, k]
            determinants *= np.where(pivots == k, 1.0, -1.0)
            determinants *= work[:, k, k]
            factors = work[:, k + 1 :, k] / work[:, k, k, None]
            work[:, k + 1 :, k + 1 :] -= factors[..., None] * work[:, None, k, k + 1 :]
        for k in reversed(range(size)):
            for j in range(k + 1, size):
                work[:, k, size] -= work[:, k, j] * solutions[:, j]
            solutions[:, k] = work[:, k, size] / work[:, k, k]
    regular = np.isfinite(determinants) & (determinants != 0.0)
    return np.where(regular, determinants, 0.0), np.where(regular[:, None], solutions, 0.0)


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
