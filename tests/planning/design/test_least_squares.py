"""Least squares in fixed order against rational arithmetic, LAPACK, and what defines the least norm."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from stackel_bench.planning.design.least_squares import independent_columns, least_squares
from tests.planning.design.gauss_jordan import eliminate


def _exact(rows: np.ndarray, values: np.ndarray) -> list[Fraction]:
    """The solution of the normal equations in rational arithmetic, for rows of full column rank."""
    d = rows.shape[1]
    a = [[Fraction(float(x)) for x in row] for row in rows]
    b = [Fraction(float(x)) for x in values]
    matrix = [
        [sum(row[i] * row[j] for row in a) for j in range(d)]
        + [sum(row[i] * y for row, y in zip(a, b, strict=True))]
        for i in range(d)
    ]
    eliminate(matrix)
    return [row[d] for row in matrix]


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e6, 1e9])
def test_the_error_is_that_of_a_backward_stable_method(condition: float) -> None:
    """Consistent equations, whose solutions move by condition x rounding: 20 units of it, 15 instances."""
    for seed in range(15):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(1, 6))
        turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
        rows = (rng.standard_normal((d + 4, d)) * condition ** -np.linspace(0, 1, d)) @ turn
        values = rows @ rng.standard_normal(d)
        exact = np.array([float(x) for x in _exact(rows, values)])
        found = least_squares(rows, values[:, None], d)[:, 0]
        worst = np.linalg.cond(rows) * np.linalg.norm(exact) * np.finfo(float).eps
        assert np.linalg.norm(found - exact) <= 20 * worst


@pytest.mark.parametrize("dimension", [1, 2, 5, 20, 50])
def test_beside_lapack(dimension: int) -> None:
    for seed in range(8):
        rng = np.random.default_rng([seed, dimension])
        count = dimension + int(rng.integers(0, 60))
        rows, values = rng.standard_normal((count, dimension)), rng.standard_normal((count, 2))
        wanted = np.linalg.lstsq(rows, values, rcond=None)[0]
        spread = np.linalg.cond(rows) ** 2 * 1e-14
        np.testing.assert_allclose(least_squares(rows, values, dimension), wanted, rtol=0, atol=spread)


@pytest.mark.parametrize("dimension", [2, 5, 20, 50])
def test_the_solution_of_least_norm_where_rows_do_not_span(dimension: int) -> None:
    for seed in range(8):
        rng = np.random.default_rng([seed, dimension, 1])
        rank = int(rng.integers(1, dimension))
        span = np.linalg.qr(rng.standard_normal((dimension, rank)))[0].T
        rows, values = (
            rng.standard_normal((2 * dimension, rank)) @ span,
            rng.standard_normal((2 * dimension, 2)),
        )
        found = least_squares(rows, values, rank)
        np.testing.assert_allclose(found, span.T @ (span @ found), atol=1e-12)  # within the span
        residual = values - rows @ found
        assert np.abs(rows.T @ residual).max() <= 1e-11  # and nothing fits better
        np.testing.assert_allclose(found, np.linalg.lstsq(rows, values, rcond=1e-10)[0], atol=1e-10)


def test_units_of_the_columns_do_not_matter() -> None:
    """Scaled by powers of two, solutions scale exactly, with or without full rank."""
    rng = np.random.default_rng(2)
    units = 2.0 ** np.array([-300, 0, 250, 7])
    rows, values = rng.standard_normal((9, 4)), rng.standard_normal((9, 2))
    np.testing.assert_array_equal(
        least_squares(rows * units, values, 4) * units[:, None], least_squares(rows, values, 4)
    )
    twice = np.column_stack([rows, rows[:, 0]])
    np.testing.assert_allclose(
        least_squares(twice * 1e-200, values, 4) * 1e-200, least_squares(twice, values, 4), rtol=1e-10
    )


def test_independent_columns_span_the_others() -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        rank = int(rng.integers(1, 6))
        rows = rng.standard_normal((30, rank)) @ rng.standard_normal((rank, 8))
        columns = independent_columns(rows, rank)
        assert (np.diff(columns) > 0).all()
        assert np.linalg.matrix_rank(rows[:, columns]) == rank == len(columns)
