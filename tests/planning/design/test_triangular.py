"""Triangular factors and products in fixed order: what defines them, and sums as a loop makes them."""

from __future__ import annotations

import numpy as np
import pytest

from stackel_bench.planning.design.feature_products import products, row_means, squared_lengths
from stackel_bench.planning.design.triangular import (
    condition,
    orthogonal_factor,
    triangular_factor,
    triangular_inverse,
)

SHAPES = [(1, 1), (2, 5), (5, 2), (7, 7), (63, 20), (64, 4), (65, 3), (200, 50)]


@pytest.mark.parametrize("shape", SHAPES)
def test_products_are_sums_in_order(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    rows, vectors = rng.standard_normal(shape), rng.standard_normal((shape[1], 6))
    wanted = np.zeros((shape[0], 6))
    for k in range(shape[1]):
        wanted += rows[:, k, None] * vectors[k]
    squares = np.zeros(shape[0])
    for j in range(6):
        squares += wanted[:, j] * wanted[:, j]
    for same in (rows, np.asfortranarray(rows), np.repeat(rows, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(products(same, vectors), wanted)
        np.testing.assert_array_equal(squared_lengths(same, vectors), squares)
        means = row_means(same, vectors[:, 0], vectors[:, 3])
        np.testing.assert_array_equal(np.stack(means), wanted[:, [0, 3]].T)


@pytest.mark.parametrize("shape", SHAPES)
def test_factor_and_inverse(shape: tuple[int, int]) -> None:
    rows = np.random.default_rng(1).standard_normal(shape)
    factor = triangular_factor(rows)
    np.testing.assert_array_equal(factor, np.triu(factor))
    np.testing.assert_allclose(factor.T @ factor, rows.T @ rows, atol=1e-12 * shape[0])
    if shape[0] > shape[1]:
        inverse = triangular_inverse(factor)
        np.testing.assert_allclose(inverse @ factor, np.eye(shape[1]), atol=1e-12)
        assert condition(factor, inverse) >= np.linalg.cond(factor) * (1 - 1e-9)
    elif shape[0] < shape[1]:
        assert condition(factor, triangular_inverse(factor)) == np.inf


@pytest.mark.parametrize("size", [1, 2, 5, 30])
def test_the_orthogonal_factor_is_unique(size: int) -> None:
    matrix = np.random.default_rng(2).standard_normal((size, size))
    orthogonal = orthogonal_factor(matrix)
    np.testing.assert_allclose(orthogonal.T @ orthogonal, np.eye(size), atol=1e-13)
    triangle = orthogonal.T @ matrix
    np.testing.assert_allclose(triangle, np.triu(triangle), atol=1e-12)
    assert (np.diag(triangle) > 0).all()
