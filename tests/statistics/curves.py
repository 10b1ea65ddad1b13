"""Failures along ladders: curves whose last crossing of delta is known, and cells that follow a power law."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from stackel_bench.statistics.crossing_likelihood import Ladder

DELTA = 0.05
SIZES = (2.0, 4.0, 8.0, 16.0, 32.0)


@dataclass(frozen=True)
class Curve:
    """A failure probability of ln n that crosses delta for the last time at ln n = `crossing`."""

    name: str
    probability: Callable[[np.ndarray], np.ndarray]
    crossing: float
    monotone: bool = True

    def __str__(self) -> str:
        return self.name


def _last_crossing(probability: Callable[[np.ndarray], np.ndarray]) -> float:
    grid = np.linspace(-8, 8, 200_001)
    return float(grid[np.flatnonzero(probability(grid) > DELTA)[-1]])


def _probit(slope: float) -> Curve:
    return Curve(f"probit {slope:g}", lambda x: ndtr(ndtri(DELTA) - slope * x), 0.0)


def _logistic(slope: float) -> Curve:
    return Curve(f"logistic {slope:g}", lambda x: 1 / (1 + np.exp(slope * x) * (1 / DELTA - 1)), 0.0)


def _exponential(events: float) -> Curve:
    rate = math.log(events / DELTA)
    return Curve(f"union of {events:g}", lambda x: np.minimum(1, events * np.exp(-rate * np.exp(x))), 0.0)


def _shaped(name: str, probability: Callable[[np.ndarray], np.ndarray], monotone: bool) -> Curve:
    return Curve(name, probability, _last_crossing(probability), monotone)


def _plateau(level: float, slope: float) -> Curve:
    return _shaped(
        f"plateau {level:g}, then falling {slope:g}",
        lambda x: (1 - level) * ndtr(-3 * (x + 2.5)) + level * ndtr(-slope * x),
        True,
    )


def _bump(height: float) -> Curve:
    return _shaped(
        f"bump {height:g}",
        lambda x: ndtr(-2 * (x + 3)) + height * np.exp(-0.5 * (x / 0.8) ** 2) + 0.003,
        False,
    )


def _floor(level: float) -> Curve:
    if level == DELTA:
        return Curve("floor at delta", lambda x: np.where(x < 0, 0.11 - 0.3 * np.minimum(x, 0), DELTA), 0.0)
    return _shaped(f"floor {level:g}", lambda x: 0.9 * ndtr(-3 * (x + 1)) + level, True)


SMOOTH = [*map(_probit, (0.5, 1, 2, 5)), *map(_logistic, (1, 3)), *map(_exponential, (1, 10, 100))]
SHAPED = [
    *(_plateau(level, slope) for level in (0.055, 0.08, 0.12) for slope in (2, 6)),
    *map(_bump, (0.06, 0.1, 0.3)),
    *map(_floor, (0.04, DELTA)),
]


def ladder(ratio: float, phase: float, rungs: int = 8) -> np.ndarray:
    """ln budgets [rungs] around 0; the phase in [0, 1) moves them by a part of a step."""
    return (np.arange(rungs) - rungs // 2 + phase) * math.log(ratio)


def independent(rng: np.random.Generator, curve: Curve, budgets: np.ndarray, replicates: int) -> np.ndarray:
    """Failures [replicates, rungs], every rung a run of its own."""
    return rng.random((replicates, len(budgets))) < np.clip(curve.probability(budgets), 0, 1)


def nested(rng: np.random.Generator, curve: Curve, budgets: np.ndarray, replicates: int) -> np.ndarray:
    """Failures [replicates, rungs] as dependent as can be: one uniform variable for all rungs of a run."""
    return rng.random((replicates, 1)) < np.clip(curve.probability(budgets), 0, 1)


def power_law_cells(
    rng: np.random.Generator,
    *,
    sizes: tuple[float, ...] = SIZES,
    instances: int = 1,
    spread: float = 0.0,
    steeper: float = 0.0,
    replicates: int = 100,
    nested: bool = False,
) -> list[Ladder]:
    """Ladders of seven budgets, ratio 2; samples needed are 100 x times a lognormal factor."""
    found = []
    for size in np.repeat(sizes, instances):
        needed = math.log(100 * size) + spread * rng.standard_normal()
        budgets = 100 * size * 2.0 ** np.arange(-4, 3) * math.exp(0.3 * rng.uniform(-1, 1))
        slope = 1.2 * (size / sizes[0]) ** steeper
        limits = ndtri(DELTA) - slope * (np.log(budgets) - needed)
        draws = rng.standard_normal((replicates, 1 if nested else len(budgets)))
        found.append(Ladder(float(size), budgets, (draws < limits).sum(axis=0), replicates))
    return found
