"""Fitted exponents: textbook regression without censoring, brute force with it, limits, coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import linregress, norm, t

from stackel_bench.reporting.exponents import fit_power_law


def on_ladder(needed: np.ndarray, rungs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a ladder of budgets tells about each number."""
    position = np.searchsorted(rungs, needed)
    edges = np.concatenate([[0.0], rungs, [np.inf]])
    return edges[position], edges[position + 1]


def test_exact_numbers_give_the_textbook_interval() -> None:
    rng = np.random.default_rng(1)
    x = np.array([0.05, 0.1, 0.2, 0.4])
    y = 7 * x**-2 * np.exp(0.2 * rng.standard_normal(4))
    law = fit_power_law(x, y, y)
    line = linregress(np.log(x), np.log(y))
    half = t.ppf(0.975, 2) * line.stderr
    assert law is not None
    assert (law.exponent, law.low, law.high) == pytest.approx(
        (line.slope, line.slope - half, line.slope + half)
    )


def test_fine_ladder_approaches_the_textbook_interval() -> None:
    rng = np.random.default_rng(2)
    x = 2.0 ** np.arange(8)
    y = 50 * x**1.5 * np.exp(0.4 * rng.standard_normal(8))
    exact = fit_power_law(x, y, y)
    rough = fit_power_law(x, *on_ladder(y, 1.01 ** np.arange(2000)))
    assert exact is not None
    assert rough is not None
    assert (rough.exponent, rough.low, rough.high) == pytest.approx(
        (exact.exponent, exact.low, exact.high), abs=0.01
    )


def test_maximum_likelihood_by_brute_force() -> None:
    """On a grid of exponents, intercepts and sigmas, nothing is more likely than what was found."""
    x = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    lower, upper = np.array([0.0, 4.0, 16.0, 64.0, 256.0]), np.array([4.0, 16.0, 64.0, 256.0, np.inf])
    law = fit_power_law(x, lower, upper)
    assert law is not None
    assert law.censored == 2
    least_sigma = math.log(4) / 4

    def likelihood(exponent: np.ndarray, intercept: np.ndarray, sigma: np.ndarray) -> np.ndarray:
        total = np.zeros(np.broadcast(exponent, intercept, sigma).shape)
        with np.errstate(divide="ignore"):
            for position, low, high in zip(np.log(x), np.log(lower), np.log(upper), strict=True):
                mean = intercept + exponent * position
                total += np.log(norm.cdf((high - mean) / sigma) - norm.cdf((low - mean) / sigma) + 1e-300)
        return total

    grid = likelihood(
        np.linspace(0, 4, 161)[:, None, None],
        np.linspace(-2, 4, 121)[None, :, None],
        np.geomspace(least_sigma, 3, 25)[None, None, :],
    )
    found = likelihood(
        np.array(law.exponent), np.array(law.intercept), np.geomspace(least_sigma, 3, 200)
    ).max()
    assert found >= grid.max() - 1e-3


def test_censored_cells_are_not_taken_at_their_word() -> None:
    """A ladder that ends too early would flatten the slope; the censored fit keeps the truth inside."""
    x = 2.0 ** np.arange(8)
    truth = 10 * x**2
    rungs = 10.0 * 2.0 ** np.arange(9)
    lower, upper = on_ladder(truth * 0.9, rungs)
    law = fit_power_law(x, lower, upper)
    naive = linregress(np.log(x), np.log(np.minimum(upper, rungs[-1])))
    assert law is not None
    assert np.isinf(upper).sum() >= 3
    assert naive.slope < 1.5
    assert law.low <= 2 <= law.high
    assert law.exponent == pytest.approx(2, abs=0.3)


def test_coverage() -> None:
    """60 sweeps of six sizes on a ladder of ratio 2; the truth is inside at least 52 times.

    At exactly 95 % coverage, fewer happen with probability 0.3 %; the seed is fixed.
    """
    rng = np.random.default_rng(3)
    x = 2.0 ** np.arange(6)
    inside = 0
    for _ in range(60):
        needed = 100 * x**1.0 * np.exp(0.5 * rng.standard_normal(6))
        law = fit_power_law(x, *on_ladder(needed, 2.0 ** np.arange(5, 13)))
        inside += law is not None and law.low <= 1 <= law.high
    assert inside >= 52


@pytest.mark.parametrize(
    ("x", "lower", "upper"),
    [
        ([1, 2], [1, 2], [2, 4]),
        ([1, 2, 4], [8, 8, 8], [np.inf] * 3),
        ([1, 2, 4], [0, 0, 4], [2, 2, 8]),
    ],
)
def test_nothing_to_fit(x: list[float], lower: list[float], upper: list[float]) -> None:
    assert fit_power_law(np.array(x, float), np.array(lower, float), np.array(upper, float)) is None
