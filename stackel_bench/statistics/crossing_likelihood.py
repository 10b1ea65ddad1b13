"""Deviance of failures on many ladders whose crossings of delta scatter around a power law."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri

_LAPSE = 0.1  # of delta: no budget is taken to fail less, so that one late failure cannot rule the fit
_NODES = 81  # of the trapezoidal rule over four spreads to each side
_FARTHEST, _STEP = 8.0, 1e-3  # normal probabilities are read from a table of such z
_BOUNDS = [(None, None), (math.log(0.05), math.log(50.0)), (math.log(1e-2), math.log(10.0))]


@dataclass(frozen=True, eq=False)
class Ladder:
    """A cell: the size of its game, budgets [rungs], failures [rungs] among so many replicates."""

    size: float
    samples: np.ndarray
    failures: np.ndarray
    trials: int


class Deviance:
    """Minus twice the log-likelihood of an exponent and of (intercept, ln slope, ln spread).

    Cell i, at x_i = positions[i], fails at budget n with probability Phi(z - slope (ln n - t_i)), its t_i
    Gaussian with mean intercept + exponent x_i and standard deviation spread.
    """

    def __init__(self, cells: Sequence[Ladder], positions: np.ndarray, delta: float) -> None:
        rungs = max(len(cell.samples) for cell in cells)
        self.positions, lapse = positions, _LAPSE * delta
        self.budgets, self.failures, self.held = np.zeros((3, len(cells), rungs))
        for i, cell in enumerate(cells):
            last = len(cell.samples)
            self.budgets[i, :last], self.failures[i, :last] = np.log(cell.samples), cell.failures
            self.held[i, :last] = cell.trials - np.asarray(cell.failures)
        self.level = float(ndtri((delta - lapse) / (1 - 2 * lapse)))
        z = np.arange(-_FARTHEST, _FARTHEST + _STEP, _STEP)
        p = lapse + (1 - 2 * lapse) * ndtr(z)
        density = (1 - 2 * lapse) * np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
        # ln p and ln(1 - p), and their derivatives by z
        self.table = np.stack([np.log(p), np.log1p(-p), density / p, -density / (1 - p)], axis=1)

    def at(self, exponent: float, rest: np.ndarray) -> tuple[float, np.ndarray]:
        """The deviance at a point and its derivatives by exponent, intercept, ln slope and ln spread."""
        slope, spread = math.exp(rest[1]), math.exp(rest[2])
        centres = rest[0] + exponent * self.positions
        value, by_centre, by_slope, by_spread = _log_likelihood(
            centres, slope, spread, self.budgets, self.failures, self.held, self.level, self.table
        )
        by_exponent = float((by_centre * self.positions).sum())
        gradient = [by_exponent, float(by_centre.sum()), by_slope * slope, by_spread * spread]
        return -2.0 * value, -2.0 * np.array(gradient)

    def least(self, exponent: float, intercept: float) -> tuple[float, float, np.ndarray]:
        """The least deviance, its exponent and its other parameters, climbing from two starts."""
        bounds = [(None, None), *_BOUNDS]
        outcomes = [
            minimize(
                lambda point: self.at(point[0], point[1:]),
                np.array([exponent, intercept, math.log(slope), math.log(spread)]),
                method="L-BFGS-B",
                jac=True,
                bounds=bounds,
            )
            for slope, spread in ((1.0, 0.1), (3.0, 0.5))
        ]
        found = min(outcomes, key=lambda outcome: outcome.fun)
        return float(found.fun), float(found.x[0]), found.x[1:]

    def profile(self, exponent: float, rest: np.ndarray) -> float:
        """The least deviance at this exponent, climbing from these other parameters."""

        def value(point: np.ndarray) -> tuple[float, np.ndarray]:
            height, slope = self.at(exponent, point)
            return height, slope[1:]

        return float(minimize(value, rest, method="L-BFGS-B", jac=True, bounds=_BOUNDS).fun)


@njit(cache=True)
def _log_likelihood(
    centres: np.ndarray,
    slope: float,
    spread: float,
    budgets: np.ndarray,
    failures: np.ndarray,
    held: np.ndarray,
    level: float,
    table: np.ndarray,
) -> tuple[float, np.ndarray, float, float]:
    """Of failures and successes [cells, rungs] at ln budgets, and its derivatives by centres, slope, spread.

    Every t_i is integrated out by the trapezoidal rule.
    """
    total, by_slope, by_spread = 0.0, 0.0, 0.0
    by_centre = np.zeros(len(centres))
    terms, moves, turns = np.empty(_NODES), np.empty(_NODES), np.empty(_NODES)
    for cell in range(len(centres)):
        largest = -math.inf
        for node in range(_NODES):
            offset = 8.0 * node / (_NODES - 1) - 4.0
            term, move, turn = -0.5 * offset * offset, 0.0, 0.0
            for rung in range(budgets.shape[1]):
                if failures[cell, rung] + held[cell, rung] > 0.0:
                    distance = budgets[cell, rung] - centres[cell] - spread * offset
                    place = (min(max(level - slope * distance, -_FARTHEST), _FARTHEST) + _FARTHEST) / _STEP
                    row = min(int(place), len(table) - 2)
                    right = place - row
                    left = 1.0 - right
                    failed, passed = failures[cell, rung], held[cell, rung]
                    term += failed * (left * table[row, 0] + right * table[row + 1, 0])
                    term += passed * (left * table[row, 1] + right * table[row + 1, 1])
                    pull = failed * (left * table[row, 2] + right * table[row + 1, 2])
                    pull += passed * (left * table[row, 3] + right * table[row + 1, 3])
                    move += pull * slope
                    turn -= pull * distance
            terms[node], moves[node], turns[node] = term, move, turn
            largest = max(largest, term)
        summed, moved, turned, widened = 0.0, 0.0, 0.0, 0.0
        for node in range(_NODES):
            weight = math.exp(terms[node] - largest)
            summed += weight
            moved += weight * moves[node]
            turned += weight * turns[node]
            widened += weight * moves[node] * (8.0 * node / (_NODES - 1) - 4.0)
        total += largest + math.log(summed)
        by_centre[cell] = moved / summed
        by_slope += turned / summed
        by_spread += widened / summed
    return total, by_centre, by_slope, by_spread
