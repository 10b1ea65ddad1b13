"""Confidence on the means of a payoff table that holds at every time at once, however pairs were chosen.

Rewards in [0,1]: statistics.likelihood_mixture, which adapts to the variance. Others, of which a sub-Gaussian
scale sigma is known: after n pulls of a stream with mean m, exp(K (m - mu)^2 - ln(n + 1)/2) with
K = n^2 / (2 sigma^2 (n + 1)) is a mixture of nonnegative supermartingales at the true mean mu (a normal prior
of precision sigma^2), so that by Ville's inequality it ever exceeds 1/a with probability a at most. For two
streams the product is one too; minimised over means that differ by s it has K1 K2 / (K1 + K2) instead of K.
"""

import math
from typing import NamedTuple

import numpy as np

from stackel_bench.families.tables.game import PairSampler
from stackel_bench.families.tables.theory import paper_pulls
from stackel_bench.kernel import kernel
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.certified.learner import stopping_schedule
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Schedule
from stackel_bench.models import TieBreaking
from stackel_bench.statistics.elementary import log
from stackel_bench.statistics.likelihood_mixture import difference_offsets, mean_offsets

FIRST_PULLS = 10  # of each pair, where the paper asks for more


@kernel
def half_logs(pulls: np.ndarray) -> np.ndarray:
    """ln(n + 1)/2 of each number of pulls [A,B], with the same bits on every processor."""
    found = np.empty(pulls.shape)
    for row in range(pulls.shape[0]):
        for column in range(pulls.shape[1]):
            found[row, column] = 0.5 * log(1.0 + pulls[row, column])
    return found


class Intervals(NamedTuple):
    """low <= leader mean <= high [n,B], and difference [n,B,B]: w(p) - w(q) <= difference[., p, q]."""

    low: np.ndarray
    high: np.ndarray
    difference: np.ndarray


class PairConfidence:
    """Reward sums and pulls [A,B]; delta/2 for the leader's means, delta/2 for pairs of responses.

    `intervals` hold at all times together with probability 1 - delta, so they are intersected over time.
    """

    def __init__(
        self, shape: tuple[int, int], delta: float, scale: float | None, shrink: float = 1.0
    ) -> None:
        """A scale of None: rewards in [0,1]. Every radius is multiplied by `shrink`."""
        self.pulls = np.zeros(shape)
        self.leader, self.follower = np.zeros((2, *shape))
        self.intervals = Intervals(*(np.full(size, np.inf) for size in (shape, shape, (*shape, shape[1]))))
        self.intervals.low[:] = -np.inf
        pairs, responses = math.prod(shape), shape[1]
        self._mean_level = math.log(2 * pairs / delta)  # ln(1/a), a = delta / (2 AB)
        self._pair_level = math.log(max(1, pairs * (responses - 1)) / delta)  # a = delta / (AB (B - 1))
        self._scale, self._shrink = scale, shrink

    @property
    def samples(self) -> int:
        """Pulls so far."""
        return int(self.pulls.sum())

    def means(self) -> tuple[np.ndarray, np.ndarray]:
        """Point estimates of both players' means."""
        return self.leader / self.pulls, self.follower / self.pulls

    def add(self, counts: np.ndarray, leader: np.ndarray, follower: np.ndarray) -> np.ndarray:
        """More pulls with their reward sums; returns the rows that they say more of."""
        self.pulls = self.pulls + counts
        self.leader, self.follower = self.leader + leader, self.follower + follower
        rows = np.flatnonzero(counts.any(axis=1))
        tightest = (np.maximum, np.minimum, np.minimum)
        for kept, new, tighter in zip(self.intervals, self._now(rows), tightest, strict=True):
            kept[rows] = tighter(kept[rows], new)
        return rows

    def _now(self, rows: np.ndarray) -> Intervals:
        n = self.pulls[rows]
        leader, follower = self.leader[rows] / n, self.follower[rows] / n
        if self._scale is None:
            below, above = mean_offsets(self.leader[rows], n, self._mean_level)
            apart = difference_offsets(self.follower[rows], n, self._pair_level)
        else:
            below, apart = self._gaussian_offsets(n, self._scale)
            above = below
        difference = follower[:, :, None] - follower[:, None, :] + self._shrink * apart
        own = np.arange(n.shape[1])
        difference[:, own, own] = 0.0
        return Intervals(leader - self._shrink * below, leader + self._shrink * above, difference)

    def _gaussian_offsets(self, n: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
        weight = n * n / (2 * scale**2 * (n + 1))
        half_log = half_logs(n)
        both = half_log[:, :, None] + half_log[:, None, :]
        inverse = 1 / weight[:, :, None] + 1 / weight[:, None, :]
        return np.sqrt((self._mean_level + half_log) / weight), np.sqrt((self._pair_level + both) * inverse)


class PairModel:
    """What all confidence models of a table begin with: the first pulls of every pair."""

    def __init__(
        self, sampler: PairSampler, schedule: Schedule, tie: TieBreaking, rng: np.random.Generator
    ) -> None:
        budget = schedule.budget
        shrink = math.sqrt(budget.scale) if budget.kind == "scaled" else 1.0  # gives the guarantee away
        scale = None if sampler.unit_rewards else sampler.sub_gaussian_scale
        self._known = PairConfidence(sampler.shape, budget.delta, scale, shrink)
        self._sampler, self._epsilon, self._tie = sampler, budget.epsilon, tie
        self.about: Decision | None = None
        # No more than the paper's, and than the cap allows.
        most = min(schedule.samples[0], schedule.theory_samples) // math.prod(sampler.shape)
        self.sample(np.full(sampler.shape, min(FIRST_PULLS, most)), rng)

    @property
    def samples(self) -> int:
        """Pulls so far."""
        return self._known.samples

    def sample(self, allocation: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Draw these pulls [A,B]; returns the rows that they say more of."""
        return self._known.add(allocation, *self._sampler.pull_counts(allocation, rng))


def pair_schedule(sampler: PairSampler, budget: Budget, seconds: float) -> Schedule:
    """Up to a proof; the first pulls are the same for every pair."""
    pairs = math.prod(sampler.shape)
    pulls = paper_pulls(budget.epsilon, pairs, budget.delta, sampler.sub_gaussian_scale)
    return stopping_schedule(budget, pairs * pulls, min(FIRST_PULLS, pulls) * pairs, pairs, seconds)
