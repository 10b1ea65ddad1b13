"""Deviance of failures on many ladders whose crossings of delta scatter around a power law."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from stackel_bench.kernel import kernel

# No budget is taken to fail less than this or a tenth of delta: one late failure must not rule the fit.
_LAPSE = 0.005
_STEP, _MARGIN = 0.05, 3.0  # of the grid for ln(samples needed): its step, its reach beyond the ladder
_LEAST_SPREAD, _MOST_SPREAD = 0.05, 10.0  # no law is exact, and the grid could not tell
_STEEPEST = 6.0  # in standard deviations from one rung to the next: a ladder cannot tell steeper curves apart
_LOG_SLOPES = 6.0  # no curve is steeper or flatter than this allows, however far its size is from the others
_FARTHEST, _FINE = 8.0, 1e-3  # normal probabilities are read from a table over such z
_REACH, _STEPS = 1.5, 1.5  # how far from the crossing rungs count: in ln n, or so many of a ladder's steps


@dataclass(frozen=True, eq=False)
class Ladder:
    """A cell: the size of its game, budgets [rungs], failures [rungs] among so many replicates."""

    size: float
    samples: np.ndarray
    failures: np.ndarray
    trials: int


def nearness(cell: Ladder, crossing: float) -> np.ndarray:
    """How much each rung counts, by its distance from this ln n: 1 there, 0 from some distance on (tricube).

    Two rungs or more always count: the reach is longer than the longest step.
    """
    budgets = np.log(cell.samples)
    reach = max(_REACH, _STEPS * float(np.diff(budgets).max()))
    return np.asarray((1.0 - np.minimum(np.abs(budgets - crossing) / reach, 1.0) ** 3) ** 3)


class Deviance:
    """Minus twice the log-likelihood of an exponent and of (intercept, ln spread, ln slope, its growth).

    Cell i, at x_i = positions[i], fails at budget n with probability Phi(z - slope_i (ln n - t_i)), where
    ln slope_i = ln slope + growth x_i, and t_i is Gaussian with mean intercept + exponent x_i and standard
    deviation spread. A slope common to all sizes would bias the exponent where curves steepen with size.
    A rung of weight w counts as w times its runs: too wide an interval, never too narrow a one.
    """

    def __init__(
        self, cells: Sequence[Ladder], positions: np.ndarray, delta: float, weights: Sequence[np.ndarray]
    ) -> None:
        rungs = max(int((weight > 0).sum()) for weight in weights)
        self.positions, lapse = positions, min(0.1 * delta, _LAPSE)
        self.budgets, self.failures, self.held = np.zeros((3, len(cells), rungs))
        for i, (cell, weight) in enumerate(zip(cells, weights, strict=True)):
            kept = weight > 0
            last, failures = int(kept.sum()), np.asarray(cell.failures)
            self.budgets[i, :last] = np.log(cell.samples)[kept]
            self.budgets[i, last:] = self.budgets[i, last - 1]
            self.failures[i, :last] = (weight * failures)[kept]
            self.held[i, :last] = (weight * (cell.trials - failures))[kept]
        self.level = float(ndtri((delta - lapse) / (1 - 2 * lapse)))
        z = np.arange(-_FARTHEST, _FARTHEST + _FINE, _FINE)
        p = lapse + (1 - 2 * lapse) * ndtr(z)
        density = (1 - 2 * lapse) * np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
        # ln p and ln(1 - p), and their derivatives by z
        self.table = np.stack([np.log(p), np.log1p(-p), density / p, -density / (1 - p)], axis=1)
        gaps = np.diff(self.budgets, axis=1)
        self.steepest = math.log(_STEEPEST / float(np.median(gaps[gaps > 0])))
        spreads, slopes = (math.log(_LEAST_SPREAD), math.log(_MOST_SPREAD)), (math.log(0.05), self.steepest)
        self.bounds = [(None, None), spreads, slopes, (-2.0, 2.0)]

    def at(self, exponent: float, rest: np.ndarray) -> tuple[float, np.ndarray]:
        """The deviance at a point and its derivatives by the exponent and the rest."""
        intercept, log_spread, log_slope, growth = rest
        logs = log_slope + growth * self.positions
        steep = np.clip(logs, -_LOG_SLOPES, _LOG_SLOPES)
        slopes, spread = np.exp(steep), math.exp(log_spread)
        centres = intercept + exponent * self.positions
        value, by_centre, by_slope, by_spread = _log_likelihood(
            centres, slopes, spread, self.budgets, self.failures, self.held, self.level, self.table
        )
        by_log_slope = np.where(steep == logs, by_slope * slopes, 0.0)
        gradient = [
            (by_centre * self.positions).sum(),
            by_centre.sum(),
            by_spread * spread,
            by_log_slope.sum(),
            (by_log_slope * self.positions).sum(),
        ]
        return -2.0 * value, -2.0 * np.array(gradient)

    def least(self, exponent: float, intercept: float) -> tuple[float, float, np.ndarray]:
        """The least deviance, its exponent and its other parameters, climbing from two starts."""
        from scipy.optimize import minimize  # half a second, for scaling studies only

        bounds = [(None, None), *self.bounds]
        outcomes = [
            minimize(
                lambda point: self.at(point[0], point[1:]),
                np.array([exponent, intercept, math.log(spread), slope, 0.0]),
                method="L-BFGS-B",
                jac=True,
                bounds=bounds,
            )
            for spread, slope in ((0.1, 0.0), (0.5, self.steepest - 1.0))
        ]
        found = min(outcomes, key=lambda outcome: outcome.fun)
        return float(found.fun), float(found.x[0]), found.x[1:]

    def profile(self, exponent: float, rest: np.ndarray) -> tuple[float, np.ndarray]:
        """The least deviance at this exponent and where it is, climbing from these other parameters."""
        from scipy.optimize import minimize

        def value(point: np.ndarray) -> tuple[float, np.ndarray]:
            height, slope = self.at(exponent, point)
            return height, slope[1:]

        found = minimize(value, rest, method="L-BFGS-B", jac=True, bounds=self.bounds)
        return float(found.fun), found.x


@kernel
def _log_likelihood(
    centres: np.ndarray,
    slopes: np.ndarray,
    spread: float,
    budgets: np.ndarray,
    failures: np.ndarray,
    held: np.ndarray,
    level: float,
    table: np.ndarray,
) -> tuple[float, np.ndarray, np.ndarray, float]:
    """Of failures and successes [cells, rungs] at ln budgets, and its derivatives by centres, slopes, spread.

    Every t_i is integrated out by the midpoint rule, on a grid that does not move with the parameters, so
    that the sum is a smooth function of them; beyond the grid the failures say no more than at its ends.
    """
    total, by_spread = 0.0, 0.0
    by_centre, by_slope = np.empty(len(centres)), np.empty(len(centres))
    for cell in range(len(centres)):
        centre, slope = centres[cell], slopes[cell]
        first = budgets[cell, 0] - _MARGIN
        nodes = int((budgets[cell, -1] - budgets[cell, 0] + 2.0 * _MARGIN) / _STEP) + 1
        terms, turns = np.zeros(nodes), np.zeros(nodes)
        largest = -math.inf
        for node in range(nodes):
            place = first + _STEP * node
            for rung in range(budgets.shape[1]):
                failed, passed = failures[cell, rung], held[cell, rung]
                if failed + passed > 0.0:
                    distance = budgets[cell, rung] - place
                    z = min(max(level - slope * distance, -_FARTHEST), _FARTHEST)
                    row = min(int((z + _FARTHEST) / _FINE), len(table) - 2)
                    right = (z + _FARTHEST) / _FINE - row
                    left = 1.0 - right
                    terms[node] += failed * (left * table[row, 0] + right * table[row + 1, 0])
                    terms[node] += passed * (left * table[row, 1] + right * table[row + 1, 1])
                    pull = failed * (left * table[row, 2] + right * table[row + 1, 2])
                    pull += passed * (left * table[row, 3] + right * table[row + 1, 3])
                    turns[node] -= pull * distance
            offset = (place - centre) / spread
            largest = max(largest, terms[node] - 0.5 * offset * offset)
        for node, direction in ((0, -1.0), (nodes - 1, 1.0)):
            if direction * (first + _STEP * node - centre) < 0.0:  # the centre lies beyond this end
                largest = max(largest, terms[node])
        summed, moved, turned, widened = 0.0, 0.0, 0.0, 0.0
        for node in range(nodes):
            offset = (first + _STEP * node - centre) / spread
            weight = math.exp(terms[node] - 0.5 * offset * offset - largest)
            summed += weight
            moved += weight * offset / spread
            turned += weight * turns[node]
            widened += weight * (offset * offset - 1.0) / spread
        for node, direction in ((0, -1.0), (nodes - 1, 1.0)):  # what lies beyond the ends of the grid
            offset = (first + _STEP * (node + 0.5 * direction) - centre) / spread
            density = spread / _STEP * math.exp(terms[node] - 0.5 * offset * offset - largest)
            away = direction * offset
            if away > 10.0:  # the tail of the normal law, without a product of 0 and infinity
                beyond = density * (1.0 - 1.0 / away**2 + 3.0 / away**4) / away
            else:
                tail = 1.2533141373155003 * math.erfc(away * 0.7071067811865476)
                beyond = spread / _STEP * math.exp(terms[node] - largest) * tail
            summed += beyond
            moved += direction * density / spread
            turned += beyond * turns[node]
            widened += (direction * density * offset - beyond) / spread
        total += largest + math.log(summed * _STEP * 0.3989422804014327 / spread)
        by_centre[cell], by_slope[cell] = moved / summed, turned / summed
        by_spread += widened / summed
    return total, by_centre, by_slope, by_spread
