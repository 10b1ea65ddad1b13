"""Least squares by reflections with column pivoting, every sum in a fixed order."""

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.design.triangular import (
    apply_reflection,
    reflect,
    reflect_column,
    undo_reflections,
)


def least_squares(rows: np.ndarray, values: np.ndarray, rank: int) -> np.ndarray:
    """The x [d,k] of least norm that minimises |rows x - values|, for rows [m,d] of this rank, values [m,k].

    The rank is given: it is decided in one place, by the core set. Columns are scaled by powers of two, so
    that the choice of pivots does not depend on units.
    """
    largest = np.abs(rows).max(axis=0)
    exponents = np.frexp(np.where(largest > 0, largest, 1.0))[1]
    work = np.ascontiguousarray(np.ldexp(rows, -exponents))
    right = np.array(values, dtype=np.float64, order="C")
    order = _pivoted(work, right, rank)
    if rank == work.shape[1]:
        solution = np.empty((rank, right.shape[1]))
        solution[order] = _solved(work[:rank], right[:rank])
        return np.ldexp(solution, -exponents[:, None])
    # rows = Q T with T [rank,d]; of all x with T x = Q^T values the one in the span of T's rows is shortest.
    unit = int(exponents.max())
    across = np.empty((len(order), rank))
    across[order] = np.triu(work[:rank]).T
    across = np.ldexp(across, (exponents - unit)[:, None])
    shares = reflect(across)
    solution = np.zeros((len(order), right.shape[1]))
    solution[:rank] = _solved_transposed(across, right[:rank])
    undo_reflections(across, shares, solution)
    return np.ldexp(solution, -unit)


def independent_columns(rows: np.ndarray, rank: int) -> np.ndarray:
    """Increasing indices [rank] of columns of rows [m,d] that span all of them, by column pivoting."""
    order = _pivoted(np.array(rows, dtype=np.float64, order="C"), np.empty((len(rows), 0)), rank)
    return np.sort(order[:rank])


@kernel
def _pivoted(work: np.ndarray, right: np.ndarray, rank: int) -> np.ndarray:
    """The order [d] of columns, longest rest first; work becomes R, right becomes Q^T right."""
    count, width = work.shape
    order = np.arange(width)
    sums = np.empty(width)
    for step in range(rank):
        sums[step:] = 0.0
        for i in range(step, count):
            for c in range(step, width):
                sums[c] += work[i, c] * work[i, c]
        pivot = step + np.argmax(sums[step:])
        order[step], order[pivot] = order[pivot], order[step]
        for i in range(count):
            work[i, step], work[i, pivot] = work[i, pivot], work[i, step]
        share = reflect_column(work, step, sums)
        apply_reflection(work, share, step, right)
    return order


@kernel
def _solved(factor: np.ndarray, right: np.ndarray) -> np.ndarray:
    """x with R x = right, R the upper triangle of factor."""
    solution = right.copy()
    for i in range(len(right) - 1, -1, -1):
        for c in range(right.shape[1]):
            for k in range(i + 1, len(right)):
                solution[i, c] -= factor[i, k] * solution[k, c]
            solution[i, c] /= factor[i, i]
    return solution


@kernel
def _solved_transposed(factor: np.ndarray, right: np.ndarray) -> np.ndarray:
    """x with R^T x = right, R the upper triangle of factor."""
    solution = right.copy()
    for i in range(len(right)):
        for c in range(right.shape[1]):
            for k in range(i):
                solution[i, c] -= factor[k, i] * solution[k, c]
            solution[i, c] /= factor[i, i]
    return solution
