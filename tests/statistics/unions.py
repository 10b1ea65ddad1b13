"""Cells that fail where one of many errors is large: curves whose shape changes with the size of the game."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from stackel_bench.statistics.crossing_likelihood import Ladder

Shape = Callable[[np.ndarray, float], np.ndarray]  # failure probabilities by budgets n and the size A
UNION_SIZES = (4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 17.0, 23.0, 31.0, 41.0, 55.0, 74.0, 101.0)


def union(pulls: np.ndarray, errors: float) -> np.ndarray:
    """The probability that one of so many independent normal errors exceeds sqrt(pulls) deviations."""
    return np.asarray(-np.expm1(errors * np.log1p(-ndtr(-np.sqrt(pulls)))))


def alike(n: np.ndarray, size: float) -> np.ndarray:
    return union(n / size, size - 1)


def steepening(n: np.ndarray, size: float) -> np.ndarray:
    """Unions of the power 0.6 (A/20)^0.15 of the budget."""
    return union(8 * (n / size / 8) ** (0.6 * (size / 20) ** 0.15), size - 1)


def mixed(share: float, times: float) -> Shape:
    """That share of the runs needs so many times more: a plateau or a tail, followed by its own fall."""
    return lambda n, size: (1 - share) * alike(n, size) + share * alike(n / times, size)


SHAPES: dict[str, Shape] = {
    "A - 1 errors": alike,
    "8 A errors": lambda n, size: union(n / size / 8, 8 * size),
    "A^2 errors": lambda n, size: union(n / size**2, size**2),
    "A - 1 errors, steepening": steepening,
    "A - 1 errors, 1 % fail anyway": lambda n, size: 0.01 + 0.98 * alike(n, size),
    "A - 1 errors, 3 % need 16 times more": mixed(0.03, 16),
    "A - 1 errors, 5 % need 8 times more": mixed(0.05, 8),
    "A - 1 errors, 15 % need 8 times more": mixed(0.15, 8),
}


def crossing(shape: Shape, size: float, level: float) -> float:
    """The ln n at which failures fall to the level for the last time."""
    places = np.linspace(-6, 20, 5201)
    last = int(np.flatnonzero(shape(np.exp(places), size) > level)[-1])
    return float(
        brentq(
            lambda place: float(shape(np.exp(np.array([place])), size)[0]) - level,
            places[last],
            places[last + 1],
        )
    )


def true_exponent(shape: Shape, level: float) -> float:
    """The slope of a straight line through all crossings, by ln size."""
    crossings = [crossing(shape, size, level) for size in UNION_SIZES]
    return float(np.polyfit(np.log(UNION_SIZES), crossings, 1)[0])


def union_cells(
    rng: np.random.Generator,
    shape: Shape,
    level: float,
    *,
    rungs: int,
    runs: int,
    above: float = 0.5,
    nested: bool = False,
) -> list[Ladder]:
    """Ladders of ratio 2, that share of each above the crossing but for half a rung by chance.

    With nested, one uniform variable decides on all rungs of a run: as dependent as they can be.
    """
    found = []
    for size in UNION_SIZES:
        steps = np.arange(rungs) - (1 - above) * (rungs - 1) + rng.uniform(-0.5, 0.5)
        budgets = np.exp(crossing(shape, size, level) + steps * math.log(2))
        p = np.clip(shape(budgets, size), 0, 1)
        failures = (rng.random((runs, 1)) < p).sum(axis=0) if nested else rng.binomial(runs, p)
        found.append(Ladder(size, budgets, failures, runs))
    return found
