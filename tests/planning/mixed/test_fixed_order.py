"""Sums in fixed order against the same additions one by one, systems against rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from stackel_bench.planning.mixed.fixed_order import solve_systems, weighted_rows, weighted_sum
from stackel_bench.streams import generator


def one_by_one(weights: np.ndarray, column: np.ndarray) -> float:
    total = 0.0
    for weight, value in zip(weights.tolist(), column.tolist(), strict=True):
        total += weight * value
    return total


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (17, 1), (33, 40), (200, 9)])
def test_sums_are_those_of_adding_from_the_first_row_on(shape: tuple[int, int]) -> None:
    """Bit by bit, also for other layouts of memory, for read-only arrays, and for many mixtures at once."""
    rng = generator("fixed order", *shape)
    matrix = rng.standard_normal(shape) * 10.0 ** rng.integers(-8, 8, shape)
    mixtures = rng.dirichlet(np.full(shape[0], 0.2), (4, 3))
    mixtures[0, 0, 0] = 0.0
    wanted = np.array([[[one_by_one(w, column) for column in matrix.T] for w in row] for row in mixtures])
    frozen = matrix.copy()
    frozen.setflags(write=False)
    for same in (matrix, np.asfortranarray(matrix), matrix[::-1][::-1], frozen):
        assert (weighted_rows(mixtures, same) == wanted).all()
    for row, wanted_row in zip(mixtures, wanted, strict=True):
        assert (weighted_rows(row[0], matrix) == wanted_row[0]).all()
        assert weighted_sum(row[1], matrix[:, -1]) == wanted_row[1, -1]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_systems_equal_rational_elimination(size: int) -> None:
    """Small integers, so singular systems occur and the exact answer is known."""
    rng = generator("systems", size)
    systems = rng.integers(-2, 3, (60, size, size)).astype(float)
    right = rng.integers(-3, 4, (60, size)).astype(float)
    determinants, solutions = solve_systems(systems, right)
    for system, side, determinant, solution in zip(systems, right, determinants, solutions, strict=True):
        exact, solved = rational_solution(system, side)
        assert determinant == pytest.approx(float(exact), abs=1e-9)
        if solved is None:
            assert abs(determinant) < 1e-9
        else:
            assert solution == pytest.approx([float(x) for x in solved], rel=1e-9, abs=1e-9)


def rational_solution(system: np.ndarray, side: np.ndarray) -> tuple[Fraction, list[Fraction] | None]:
    """Determinant and solution, None if there is no unique one (Gauss and Jordan)."""
    rows = [[*map(Fraction, row), Fraction(x)] for row, x in zip(system.tolist(), side.tolist(), strict=True)]
    determinant = Fraction(1)
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k] != 0), None)
        if pivot is None:
            return Fraction(0), None
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            determinant = -determinant
        determinant *= rows[k][k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return determinant, [row[-1] for row in rows]
