"""Gauss-Jordan elimination in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction


def eliminate(matrix: list[list[Fraction]]) -> None:
    """Turn the left square part of the matrix [d,d+k] into the identity, in place."""
    d = len(matrix)
    for i in range(d):
        pivot = next(k for k in range(i, d) if matrix[k][i] != 0)
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        matrix[i] = [x / matrix[i][i] for x in matrix[i]]
        for k in range(d):
            if k != i:
                matrix[k] = [x - matrix[k][i] * y for x, y in zip(matrix[k], matrix[i], strict=True)]
