"""How many samples a learner needs: the budget from which on its failure probability stays at most delta.

Failures are counted on a ladder of budgets, R replicates each. Nothing is assumed about how the rungs of one
replicate depend on each other, nor that failures fall from rung to rung; only that what holds at two
neighbouring rungs holds between them: a ladder cannot see a bump that is narrower than its steps.

- **Low** is the last budget shown to fail too often. That failures exceed delta somewhere from a rung on is
  shown by exact binomial tests at level alpha/2 together: half of it for that rung, half for all later ones.
- **High** is the first budget from which on every rung is shown to fail rarely enough, each by an exact
  binomial test at level alpha/2, from the largest budget downwards.
- **Estimate.** Between the last rung whose rate exceeds delta and the next one, the crossing is interpolated
  in ln n and in the log odds of (failures + 1/2)/(R + 1). It errs by less than a tenth where failures fall
  steadily (200 replicates, steps of 2). Where they stay near delta over several rungs no number of rungs
  helps, only replicates: then the interval is wide, and it is the answer.

So the ends of the interval are rungs: what happens between two budgets nobody has seen, and curves that stay
on a plateau and then drop, or drop and then stay on one, would leave any narrower interval.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.kernel import kernel
from stackel_bench.statistics.binomial import CONFIDENCE, upper_tail
from stackel_bench.statistics.elementary import exp, log


@dataclass(frozen=True)
class SamplesNeeded:
    """Samples from which on the failure probability stays at most delta; nan is an end that does not close.

    censored: the largest budget still fails too often, and the estimate is that budget, which is too small.
    at_most: the smallest budget never failed and no other one fails too often: the estimate is the smallest.
    """

    estimate: float
    low: float
    high: float
    censored: bool
    at_most: bool


def samples_needed(
    samples: ArrayLike, failed: ArrayLike, delta: float, confidence: float = CONFIDENCE
) -> SamplesNeeded:
    """Samples needed, from budgets [rungs] in increasing order and failures [replicates, rungs].

    One rung is no ladder: its budget is all there is to say, without an interval and without a flag.
    """
    budgets, table = np.asarray(samples, dtype=float), np.asarray(failed)
    if table.ndim != 2 or table.shape[0] == 0 or table.dtype != bool:
        raise InputError("failed", (table.shape, table.dtype), "booleans [replicates, rungs], one or more")
    return samples_needed_from_counts(budgets, table.sum(axis=0), table.shape[0], delta, confidence)


def samples_needed_from_counts(
    samples: ArrayLike, failures: ArrayLike, trials: int, delta: float, confidence: float = CONFIDENCE
) -> SamplesNeeded:
    """The same from the numbers of failures [rungs] among so many replicates: they are all that is used."""
    budgets, counts = np.asarray(samples, dtype=float), np.asarray(failures, dtype=np.int64)
    if budgets.shape != counts.shape or budgets.ndim != 1 or len(budgets) == 0:
        raise InputError("samples", budgets.shape, f"one budget for each of the rungs {counts.shape}")
    if not (np.isfinite(budgets).all() and budgets[0] > 0 and (budgets[1:] >= budgets[:-1]).all()):
        raise InputError("samples", samples, "positive numbers that do not fall")
    if not ((counts >= 0) & (counts <= trials)).all() or trials < 1:
        raise InputError("failures", failures, f"numbers between 0 and the {trials} trials")
    checks.real("delta", delta, least=0, most=1, open_least=True, open_most=True)
    checks.real("confidence", confidence, least=0, most=1, open_least=True, open_most=True)
    if len(budgets) == 1:
        return SamplesNeeded(float(budgets[0]), math.nan, math.nan, censored=False, at_most=False)
    alpha = 1.0 - confidence
    shown, proven = _shown(counts, trials, delta, alpha), _proven(counts, trials, delta, alpha)
    low = float(budgets[shown]) if shown >= 0 else math.nan
    high = float(budgets[proven]) if proven < len(budgets) else math.nan
    above = np.flatnonzero(counts / trials > delta)
    last = int(above[-1]) if len(above) else -1
    if last == len(counts) - 1:
        return SamplesNeeded(float(budgets[-1]), low, math.nan, censored=True, at_most=False)
    if last < 0:
        never = bool(counts[0] == 0)
        return SamplesNeeded(float(budgets[0]), math.nan, high, censored=False, at_most=never)
    rates = counts[last : last + 2] / trials
    estimate = _interpolated(budgets[last], budgets[last + 1], rates[0], rates[1], trials, delta)
    return SamplesNeeded(estimate, low, high, censored=False, at_most=False)


@kernel
def _shown(counts: np.ndarray, trials: int, delta: float, alpha: float) -> int:
    """The last rung from which on failures are shown to exceed delta somewhere; -1 if there is none."""
    for first in range(len(counts)):
        rejected = False
        for rung in range(first, len(counts)):
            tail = alpha / 4 if rung == first else alpha / 4 / (len(counts) - 1 - first)
            rejected |= _exceeds(counts[rung], trials, delta, tail)
        if not rejected:
            return first - 1
    return len(counts) - 1


@kernel
def _proven(counts: np.ndarray, trials: int, delta: float, alpha: float) -> int:
    """The first rung from which on all are shown to fail rarely enough; their number if there is none."""
    proven = len(counts)
    while proven > 0 and _exceeds(trials - counts[proven - 1], trials, 1.0 - delta, alpha / 2):
        proven -= 1
    return proven


@kernel
def _exceeds(count: int, trials: int, probability: float, tail: float) -> bool:
    """Whether the exact one-sided test at this level shows that an event is more likely than probability."""
    return count > probability * trials and upper_tail(count, trials, probability) <= tail


@kernel
def _interpolated(
    left_budget: float, right_budget: float, left: float, right: float, trials: int, delta: float
) -> float:
    """Where the log odds of the rates left > delta >= right, shrunk by half a failure, cross delta's."""
    start = log((left * trials + 0.5) / (trials - left * trials + 0.5))
    end = log((right * trials + 0.5) / (trials - right * trials + 0.5))
    weight = (start - log(delta / (1.0 - delta))) / (start - end)
    if weight >= 1.0:  # delta is smaller than what R replicates can resolve
        return right_budget
    return left_budget * exp(max(weight, 0.0) * log(right_budget / left_budget))
