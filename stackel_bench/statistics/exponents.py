"""How samples grow with a size of the game: exponents with intervals that count games, not replicates.

Samples needed, in one stage: a learner on instance i, of size x_i, fails at budget n with probability
Phi(z - slope_i (ln n - t_i)), z = Phi^{-1}(delta), where t_i = ln(samples needed) is Gaussian with mean
intercept + exponent ln x_i and standard deviation `spread`: instances of one size differ, and no law is an
exact power. Slopes are a power of the size, too. All failures of all cells enter one likelihood.

Such curves are assumed around the crossing only: a rung counts the less, the farther it is from the
crossing that its cell's own counts point to, and not at all beyond 1.5 in ln n (`nearness`). Far rungs
would decide about the slopes, and where curves change their shape with the size, as failures by a union do,
that biases the exponent: by -0.06 to -0.18 on twelve rungs of ratio 2 (benchmarks). With these weights the
bias is at most 0.03 on unions of A - 1, 8 A and A^2 errors, with lapses, tails of 3 % or nested rungs
(0.033 with 100 runs). What remains: curves that bend within the rungs that count, differently at each size.
Where 5 % of the runs need eight times more, the exponent at level 0.1 is found 0.05 too high, where 15 %
do, 0.12 too low, and intervals do not show it. Of A^2 errors and of tails of 3 % they cover 0.75 to 0.9 in
some rows with 100 or 300 runs.

The interval is the set of exponents whose profile deviance is at most m ln(1 + q^2/(m-2)), m the number of
cells and q Student's quantile with m-2 degrees of freedom: where every t_i is known exactly, that is the
textbook interval of a regression.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from stackel_bench.errors import InputError
from stackel_bench.statistics.binomial import CONFIDENCE
from stackel_bench.statistics.crossing import samples_needed_from_counts
from stackel_bench.statistics.crossing_likelihood import Deviance, Ladder, nearness

WIDEST_USEFUL = 1.0
_SEARCHED = 20.0  # limits are looked for within this distance of the estimate


@dataclass(frozen=True)
class Exponent:
    """samples = exp(intercept) * size**exponent; the interval is infinite on a side that stays open.

    spread is the standard deviation of ln(samples) around the law; censored counts the cells whose ladder
    lies all on one side of delta.
    """

    exponent: float
    low: float
    high: float
    intercept: float
    spread: float
    cells: int
    censored: int

    @property
    def useful(self) -> bool:
        """Whether the interval is narrow, and most ladders reach from above delta to below it.

        Where half of the ladders or more lie on one side, narrow intervals cover too rarely (benchmarks).
        """
        return self.high - self.low <= WIDEST_USEFUL and 2 * self.censored < self.cells


def needed_exponent(cells: Sequence[Ladder], delta: float, confidence: float = CONFIDENCE) -> Exponent | None:
    """The law of samples needed; None where there are fewer than three sizes, or two with a crossing."""
    if any(len(cell.samples) < 2 for cell in cells):
        raise InputError("cells", [len(cell.samples) for cell in cells], "ladders of at least two rungs")
    found = [samples_needed_from_counts(c.samples, c.failures, c.trials, delta) for c in cells]
    inside = np.array([_has_crossing(cell, delta) for cell in cells])
    sizes = _log_sizes([cell.size for cell in cells])
    if len(np.unique(sizes)) < 3 or len(np.unique(sizes[inside])) < 2:
        return None
    centre = float(sizes.mean())
    crossings = np.log([needed.estimate for needed in found])
    weights = [nearness(cell, place) for cell, place in zip(cells, crossings, strict=True)]
    deviance = Deviance(cells, sizes - centre, delta, weights)
    start = np.polyfit((sizes - centre)[inside], crossings[inside], 1)
    best, exponent, rest = deviance.least(float(start[0]), float(start[1]))
    m = len(cells)
    limit = m * math.log1p(float(stdtrit(m - 2, 0.5 + confidence / 2)) ** 2 / (m - 2))
    low, high = (_end(_excess(deviance, rest, best + limit), exponent, side) for side in (-1, 1))
    if not np.isfinite([best, exponent, *rest]).all():
        return None
    intercept, spread = float(rest[0]) - exponent * centre, math.exp(rest[1])
    return Exponent(exponent, low, high, intercept, spread, m, int((~inside).sum()))


def _has_crossing(cell: Ladder, delta: float) -> bool:
    """Whether some budget fails more often than delta, and the largest one does not."""
    above = np.asarray(cell.failures) / cell.trials > delta
    return bool(above.any() and not above[-1])


def _excess(deviance: Deviance, rest: np.ndarray, limit: float) -> Callable[[float], float]:
    """By how much the profile deviance exceeds a limit; an exponent asked for again gets the same answer.

    Far from the estimate a wide spread explains the cells, near it a narrow one: each is a valley of its own.
    So every search starts from the estimate, from a wide spread, and where the last one ended.
    """
    starts = [rest, np.array([rest[0], 0.0, *rest[2:]]), rest]

    @functools.cache
    def excess(exponent: float) -> float:
        value, starts[2] = min((deviance.profile(exponent, start) for start in starts), key=lambda it: it[0])
        return value - limit

    return excess


def used_exponent(
    sizes: ArrayLike, amounts: Sequence[ArrayLike], confidence: float = CONFIDENCE
) -> Exponent | None:
    """The law of mean amounts, given per cell as [replicates]: the textbook regression of their logarithms.

    None where fewer than three cells or two sizes exist.
    """
    x = _log_sizes(sizes)
    y = np.array([math.log(float(np.asarray(amount, dtype=float).mean())) for amount in amounts])
    m = len(x)
    if m != len(y):
        raise InputError("amounts", len(y), f"one array for each of the {m} sizes")
    if m < 3 or len(np.unique(x)) < 2:
        return None
    offset = x - x.mean()
    exponent = float((offset * y).sum() / (offset**2).sum())
    residuals = y - y.mean() - exponent * offset
    spread = math.sqrt(float((residuals**2).sum()) / (m - 2))
    half = float(stdtrit(m - 2, 0.5 + confidence / 2)) * spread / math.sqrt(float((offset**2).sum()))
    intercept = float(y.mean()) - exponent * float(x.mean())
    return Exponent(exponent, exponent - half, exponent + half, intercept, spread, m, 0)


def _log_sizes(sizes: ArrayLike) -> np.ndarray:
    values = np.asarray(sizes, dtype=float)
    if values.ndim != 1 or not (np.isfinite(values) & (values > 0)).all():
        raise InputError("sizes", sizes, "positive numbers")
    return np.asarray(np.log(values))


def _end(excess: Callable[[float], float], start: float, direction: int) -> float:
    """Where the excess becomes positive, going from start in this direction; infinite if nowhere."""
    from scipy.optimize import brentq  # half a second, for scaling studies only

    inside, step = start, 0.1
    while step < _SEARCHED:
        outside = start + direction * step
        if excess(outside) > 0:
            return float(brentq(excess, inside, outside, xtol=1e-3))
        inside, step = outside, step * 2
    return direction * math.inf
