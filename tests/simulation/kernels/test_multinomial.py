"""Alias tables against their probabilities, multinomial rows against exact laws."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from stackel_bench.simulation.kernels.multinomial import multinomial_rows, row_tables
from stackel_bench.streams import generator
from tests.goodness_of_fit import chi_square_p, histogram

FALSE_ALARM = 1e-4  # per p-value; seeds are fixed, so a pass stays a pass


def test_alias_tables_hold_the_probabilities() -> None:
    """Exact up to rounding for 600 rows, among them one-point rows and rows with zeros."""
    rng = generator("alias")
    for size in (1, 2, 3, 10, 33):
        rows = rng.dirichlet(np.full(size, 0.2), size=120)
        rows[:20] = np.eye(size)[rng.integers(size, size=20)]
        rows[20:60][rng.random((40, size)) < 0.5] = 0
        rows = rows[rows.sum(axis=1) > 0]
        rows /= rows.sum(axis=1, keepdims=True)
        conditional, accept, alias = row_tables(rows)
        held = accept / size
        for row in range(len(rows)):
            np.add.at(held[row], alias[row], (1 - accept[row]) / size)
        np.testing.assert_allclose(held, rows, atol=1e-14)
        assert (held[rows == 0] == 0).all()
        left = np.cumprod(np.hstack([np.ones((len(rows), 1)), 1 - conditional]), axis=1)
        np.testing.assert_allclose(left[:, :-1] * conditional, rows, atol=1e-14)
        assert (left[:, -1] == 0).all()


@pytest.mark.parametrize("n", [2, 11, 13, 60])
def test_multinomial_rows_have_the_multinomial_law(n: int) -> None:
    """One category impossible; alias draws (n <= 12) and conditional binomials; false alarm 4e-4 together."""
    row = np.array([0.7, 0.0, 0.3])
    draws = 40_000
    tables = row_tables(np.tile(row, (draws, 1)))
    counts = multinomial_rows(generator("rows", n), np.full(draws, n), tables)
    assert (counts.sum(axis=1) == n).all()
    assert (counts[:, 1] == 0).all()
    expected = {k: float(stats.binom.pmf(k, n, row[0])) for k in range(n + 1)}
    assert chi_square_p(histogram(counts[:, 0]), expected) > FALSE_ALARM


def test_multinomial_of_four_categories_jointly() -> None:
    """Chi-square over all 455 vectors of n = 12 and over those of n = 20; false alarm 2e-4."""
    row = np.array([0.1, 0.4, 0.2, 0.3])
    draws = 100_000
    tables = row_tables(np.tile(row, (draws, 1)))
    for n in (12, 20):
        counts = multinomial_rows(generator("joint", n), np.full(draws, n), tables)
        seen: dict[tuple[int, ...], int] = {}
        for vector, count in zip(*np.unique(counts, axis=0, return_counts=True), strict=True):
            seen[tuple(map(int, vector))] = int(count)
        law = {
            (i, j, k, n - i - j - k): float(stats.multinomial.pmf([i, j, k, n - i - j - k], n, row))
            for i in range(n + 1)
            for j in range(n + 1 - i)
            for k in range(n + 1 - i - j)
        }
        assert chi_square_p(seen, law) > FALSE_ALARM


def test_nothing_leaks_into_categories_of_probability_zero() -> None:
    row = np.array([0.1] * 10 + [0.0, 0.0])
    tables = row_tables(np.tile(row, (5000, 1)))
    counts = multinomial_rows(generator("leak"), np.full(5000, 2**53), tables)
    assert (counts[:, 10:] == 0).all()
    assert (counts.sum(axis=1) == 2**53).all()
