"""How many times the samples of another learner one needs: ratios with intervals, pooled over games, ranks.

Samples needed are where the failure probability falls below delta for good, interpolated between two rungs as
in `crossing`. That crossing grows with the failure probability of every rung, so its limits are the crossings
of the exact limits of the rungs. Ratios are differences of logarithms, whose distances to the limits are
added in squares (Zou and Donner 2008); sharing samples only makes that wider than necessary. They are about
what this ladder would say with endless replicates: nobody has seen what happens between two rungs.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logit, stdtrit

from stackel_bench.statistics.binomial import CONFIDENCE, binomial_interval

LEAST_GAMES = 3  # from which on an interval counts games; below, it is about these games alone


@dataclass(frozen=True)
class LogInterval:
    """A logarithm with its interval; infinite where the ladder does not reach so far.

    end is the end of the ladder that the estimate lies beyond.
    """

    estimate: float
    low: float
    high: float
    end: float = math.nan

    @property
    def is_closed(self) -> bool:
        """Whether there is a number at all, and not only a limit."""
        return math.isfinite(self.estimate)


@dataclass(frozen=True)
class Pooled:
    """A ratio averaged over games (geometric mean); 0 and infinity are ends that stay open."""

    ratio: float
    low: float
    high: float
    games: int

    @property
    def side(self) -> int:
        """1 or -1 where the ratio is shown to be above or below 1, else 0."""
        return int(self.low > 1) - int(self.high < 1)

    @property
    def is_known(self) -> bool:
        """Whether there is an interval, or a limit on one side of 1."""
        return bool(self.side) or (self.low > 0 and self.high < math.inf)


def log_needed_all(
    samples: ArrayLike,
    failures: ArrayLike,
    trials: ArrayLike,
    deltas: ArrayLike,
    confidence: float = CONFIDENCE,
) -> list[LogInterval]:
    """ln(samples needed) by ladder, from samples, failures [ladders, rungs], trials, deltas [ladders]."""
    budgets, counts = np.log(np.asarray(samples, dtype=float)), np.asarray(failures, dtype=np.int64)
    total, delta = np.asarray(trials, dtype=np.int64)[:, None], np.asarray(deltas, dtype=float)[:, None]
    limits = binomial_interval(counts, total, confidence)
    least = 0.5 / (total + 1)
    estimates = _crossings(budgets, counts / total > delta, (counts + 0.5) / (total + 1), delta)
    low, high = (_crossings(budgets, p > delta, np.clip(p, least, 1 - least), delta) for p in limits)
    first, last = budgets[:, 0], budgets[:, -1]
    ends = np.where(estimates > 0, last, first)
    columns = (estimates, np.minimum(low, last), np.maximum(high, first), ends)
    return [LogInterval(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _crossings(budgets: np.ndarray, above: np.ndarray, rates: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """Where log odds [ladders, rungs] cross delta's after the last rung above it; infinite if beyond."""
    rungs = above.shape[1]
    last = np.where(above.any(axis=1), rungs - 1 - above[:, ::-1].argmax(axis=1), -1)
    found = np.where(last < 0, -np.inf, np.inf)
    inside = np.flatnonzero((last >= 0) & (last < rungs - 1))
    k = last[inside]
    start, end, goal = logit(rates[inside, k]), logit(rates[inside, k + 1]), logit(delta[inside, 0])
    falls = start > end
    weight = np.where(falls, (start - goal) / np.where(falls, start - end, 1.0), 1.0).clip(0.0, 1.0)
    left, right = budgets[inside, k], budgets[inside, k + 1]
    found[inside] = left + weight * (right - left)
    return found


def log_mean(values: ArrayLike, confidence: float = CONFIDENCE) -> LogInterval:
    """ln of the mean of positive numbers, of samples used for example, with Student's interval."""
    used = np.asarray(values, dtype=float)
    mean = math.fsum(used) / len(used)
    half = 0.0
    if len(used) > 1:
        half = float(stdtrit(len(used) - 1, 0.5 + confidence / 2) * used.std(ddof=1) / math.sqrt(len(used)))
    low = math.log(mean - half) if half < mean else -math.inf
    return LogInterval(math.log(mean), low, math.log(mean + half))


def log_ratio(first: LogInterval, second: LogInterval) -> LogInterval:
    """ln of second over first; where one of them is only a limit, so is the ratio."""
    if first.is_closed and second.is_closed:
        middle = second.estimate - first.estimate
        down = math.hypot(second.estimate - second.low, first.high - first.estimate)
        up = math.hypot(second.high - second.estimate, first.estimate - first.low)
        return LogInterval(middle, middle - down, middle + up)
    low = second.low - first.high if second.low > -math.inf and first.high < math.inf else -math.inf
    high = second.high - first.low if second.high < math.inf and first.low > -math.inf else math.inf
    return LogInterval(math.nan, low, high)


def averaged(ratios: Sequence[LogInterval]) -> LogInterval:
    """The mean of logarithms that were estimated apart; a limit only where one of them is."""
    count = len(ratios)
    low, high = (math.fsum(getattr(ratio, end) for ratio in ratios) / count for end in ("low", "high"))
    if not all(ratio.is_closed for ratio in ratios):
        return LogInterval(math.nan, low, high)
    middle = math.fsum(ratio.estimate for ratio in ratios) / count
    down = math.hypot(*(ratio.estimate - ratio.low for ratio in ratios)) / count
    up = math.hypot(*(ratio.high - ratio.estimate for ratio in ratios)) / count
    return LogInterval(middle, middle - down, middle + up)


def pool(ratios: Sequence[LogInterval], confidence: float = CONFIDENCE) -> Pooled:
    """The geometric mean of the ratios of several games.

    From three games on the interval is Student's over games, since it is about games like these; never
    narrower than the replicates of these games allow. A game with a limit only enters with that limit, and
    the interval stays open on its other side.
    """
    if len(ratios) < LEAST_GAMES:
        mean = averaged(ratios)
        middle, open_below, open_above = (mean.estimate, False, False) if mean.is_closed else _limit(mean)
        ends = (-math.inf if open_below else mean.low, math.inf if open_above else mean.high)
        return Pooled(_exp(middle), _exp(ends[0]), _exp(ends[1]), len(ratios))
    logs = [(ratio.estimate, False, False) if ratio.is_closed else _limit(ratio) for ratio in ratios]
    used = np.array([value for value, _, _ in logs if math.isfinite(value)])
    if len(used) < LEAST_GAMES:
        return Pooled(math.nan, 0.0, math.inf, len(ratios))
    quantile = float(stdtrit(len(used) - 1, 0.5 + confidence / 2))
    middle, half = float(used.mean()), quantile * float(used.std(ddof=1)) / math.sqrt(len(used))
    here = (
        averaged([ratio for ratio in ratios if ratio.is_closed]) if any(r.is_closed for r in ratios) else None
    )
    down, up = (half, half) if here is None else (here.estimate - here.low, here.high - here.estimate)
    low = -math.inf if any(below for _, below, _ in logs) else middle - max(half, down)
    high = math.inf if any(above for _, _, above in logs) else middle + max(half, up)
    return Pooled(_exp(middle), _exp(low), _exp(high), len(ratios))


def _exp(value: float) -> float:
    return math.inf if value >= 700 else math.exp(value)


def _limit(ratio: LogInterval) -> tuple[float, bool, bool]:
    """What is known of a ratio without an estimate: its limit, and whether it opens below and above."""
    if ratio.low > -math.inf:
        return ratio.low, False, True
    if ratio.high < math.inf:
        return ratio.high, True, False
    return math.nan, True, True


def rank_intervals(
    names: Sequence[str], ratios: Mapping[tuple[str, str], Pooled]
) -> dict[str, tuple[int, int]]:
    """The ranks that each may have, 1 for the fewest samples, given (first, second): second over first.

    Where all ratios hold together with some confidence, so do all ranks.
    """
    better = dict.fromkeys(names, 0)
    worse = dict.fromkeys(names, 0)
    for (first, second), ratio in ratios.items():
        fewer, more = (first, second) if ratio.side > 0 else (second, first)
        if ratio.side:
            worse[fewer] += 1
            better[more] += 1
    return {name: (1 + better[name], len(names) - worse[name]) for name in names}
