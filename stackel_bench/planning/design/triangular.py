"""Triangular factors of small matrices by Householder reflections, every sum in a fixed order."""

import numpy as np

from stackel_bench.kernel import kernel


def triangular_factor(rows: np.ndarray) -> np.ndarray:
    """Upper triangular R [r,r] with R^T R = rows^T rows, for rows [m,r]; zeros below if m < r."""
    work = np.array(rows, dtype=np.float64, order="C")
    reflect(work)
    width = work.shape[1]
    factor = np.zeros((width, width))
    factor[: len(work)] = np.triu(work[:width])
    return factor


@kernel
def cholesky_factor(gram: np.ndarray) -> np.ndarray:
    """Upper triangular R [r,r] with R^T R = gram, which is positive definite and well conditioned."""
    size = len(gram)
    factor = np.zeros((size, size))
    for i in range(size):
        for j in range(i, size):
            rest = gram[i, j]
            for k in range(i):
                rest -= factor[k, i] * factor[k, j]
            factor[i, j] = np.sqrt(rest) if i == j else rest / factor[i, i]
    return factor


def orthogonal_factor(matrix: np.ndarray) -> np.ndarray:
    """Orthogonal Q [d,d] with Q^T matrix upper triangular and its diagonal not negative, for matrix [d,d]."""
    work = np.array(matrix, dtype=np.float64, order="C")
    shares = reflect(work)
    orthogonal = np.eye(len(work))
    undo_reflections(work, shares, orthogonal)
    return orthogonal * np.where(np.diag(work) < 0, -1.0, 1.0)


def condition(factor: np.ndarray, inverse: np.ndarray) -> float:
    """The product of the Frobenius norms of a factor [r,r] and its inverse, inf for a singular factor."""
    with np.errstate(all="ignore"):
        product = float(np.sqrt((factor * factor).sum()) * np.sqrt((inverse * inverse).sum()))
    return product if np.isfinite(product) else np.inf


@kernel(error_model="numpy")
def triangular_inverse(factor: np.ndarray) -> np.ndarray:
    """The inverse [r,r] of an upper triangular factor; not finite where the factor is singular."""
    size = len(factor)
    inverse = np.zeros((size, size))
    for i in range(size - 1, -1, -1):
        for k in range(i + 1, size):
            share = factor[i, k]
            if share != 0.0:
                for c in range(k, size):
                    inverse[i, c] -= share * inverse[k, c]
        inverse[i, i] += 1.0
        for c in range(i, size):
            inverse[i, c] /= factor[i, i]
    return inverse


@kernel
def reflect(work: np.ndarray) -> np.ndarray:
    """Turns work [m,n] in place into R above and reflectors below the diagonal; their shares [min(m,n)]."""
    steps = min(work.shape)
    shares = np.zeros(steps)
    sums = np.empty(work.shape[1])
    for step in range(steps):
        shares[step] = reflect_column(work, step, sums)
    return shares


@kernel
def reflect_column(work: np.ndarray, step: int, sums: np.ndarray) -> float:
    """One reflection I - share v v^T, v = (1, work[step+1:,step]), that clears a column; its share."""
    count, width = work.shape
    total = 0.0
    for i in range(step, count):
        total += work[i, step] * work[i, step]
    if total == 0.0:
        return 0.0
    signed = np.sqrt(total) if work[step, step] >= 0.0 else -np.sqrt(total)
    head = work[step, step] + signed
    work[step, step] = -signed
    for i in range(step + 1, count):
        work[i, step] /= head
    share = head / signed
    for c in range(step + 1, width):
        sums[c] = work[step, c]
    first = step + 1
    last = first + (count - first) // 4 * 4
    for i in range(first, last, 4):  # four rows at a time, in order: sums are read and written less often
        p, q, r, s = work[i, step], work[i + 1, step], work[i + 2, step], work[i + 3, step]
        if p != 0.0 or q != 0.0 or r != 0.0 or s != 0.0:
            for c in range(first, width):
                partial = (sums[c] + p * work[i, c]) + q * work[i + 1, c]
                sums[c] = (partial + r * work[i + 2, c]) + s * work[i + 3, c]
    for i in range(last, count):
        entry = work[i, step]
        for c in range(first, width):
            sums[c] += entry * work[i, c]
    for c in range(first, width):
        sums[c] *= share
        work[step, c] -= sums[c]
    for i in range(first, count):
        entry = work[i, step]
        if entry != 0.0:
            for c in range(first, width):
                work[i, c] -= entry * sums[c]
    return float(share)


@kernel
def undo_reflections(work: np.ndarray, shares: np.ndarray, values: np.ndarray) -> None:
    """Q times values [m,k] in place, for what reflect made of a matrix Q R."""
    for step in range(len(shares) - 1, -1, -1):
        apply_reflection(work, shares[step], step, values)


@kernel
def apply_reflection(work: np.ndarray, share: float, step: int, values: np.ndarray) -> None:
    """One stored reflection applied to values [m,k] in place."""
    for c in range(values.shape[1]):
        total = values[step, c]
        for i in range(step + 1, len(work)):
            total += work[i, step] * values[i, c]
        total *= share
        values[step, c] -= total
        for i in range(step + 1, len(work)):
            values[i, c] -= work[i, step] * total
