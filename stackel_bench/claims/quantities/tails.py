"""Exact probabilities and constants behind the sample sizes: do the union bounds hold, and with what room?"""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import binom, norm

from stackel_bench.claims.case import Case
from stackel_bench.families.tables.theory import lower_bound_pulls, paper_pulls
from stackel_bench.planning.design.core_set import core_set


def uniform_error_probability(case: Case) -> float:
    """P(some of 2AB means is off by more than eps/8) at the theorem's N when all rewards are fair coins."""
    pairs = case.table.leader_means.size
    pulls = paper_pulls(case.epsilon, pairs, case.budget.delta)
    tail = 2 * float(binom.sf(math.floor(pulls * (0.5 + case.epsilon / 8)), pulls, 0.5))
    return -math.expm1(2 * pairs * math.log1p(-tail))


def hoeffding_bound(case: Case) -> float:
    """4AB exp(-2 N (eps/8)^2) at the theorem's N, over delta: at most 1, and above 1 with one pull less."""
    pairs = case.table.leader_means.size
    pulls = paper_pulls(case.epsilon, pairs, case.budget.delta)
    return 4 * pairs * math.exp(-2 * pulls * (case.epsilon / 8) ** 2) / case.budget.delta


def likelihood_ratio_error(case: Case) -> float:
    """The error of the best learner on the pair of games with n = 1/(13.5 delta^2) pulls, delta of this game.

    Only the preference in the first row differs: n flips of a coin of mean (1 + delta)/2 or (1 - delta)/2,
    and the likelihood ratio picks the side that came up more often, either one if both did equally.
    """
    return _likelihood_ratio_error(case, 13.5)


def likelihood_ratio_error_sharp(case: Case) -> float:
    """The same with n = 1/(5.39 delta^2) pulls."""
    return _likelihood_ratio_error(case, 5.39)


def _likelihood_ratio_error(case: Case, constant: float) -> float:
    row = case.table.follower_means[0]
    flips = round(1 / (constant * (row[0] - row[1]) ** 2))
    half, chance = flips // 2, float(row.max())
    if flips % 2:
        return float(binom.cdf(half, flips, chance))
    return float(binom.cdf(half - 1, flips, chance) + binom.pmf(half, flips, chance) / 2)


def printed_noise_bound_fails(case: Case) -> float:
    """P(some of 2K means of N Gaussian rewards is off by more than sqrt(ln(2K/delta)/N)), as printed."""
    points = _core_points(case)
    return _gaussian_maximum(2 * points, math.sqrt(math.log(2 * points / case.budget.delta)))


def corrected_noise_bound_fails(case: Case) -> float:
    """The same for sqrt(2 ln(4K/delta)/N)."""
    points = _core_points(case)
    return _gaussian_maximum(2 * points, math.sqrt(2 * math.log(4 * points / case.budget.delta)))


def divergence_ratio(case: Case) -> float:
    """max of KL(Ber(1/2), Ber(1/2 + x)) / (4 x^2) over 0 < x <= 1/(2 sqrt 2): the proof needs at most 1."""
    shifts = np.linspace(1e-3, 1 / (2 * math.sqrt(2)), 1000)
    return float((-np.log1p(-4 * shifts**2) / 2 / (4 * shifts**2)).max())


def lower_bound_per_pair(case: Case) -> float:
    """Pulls of each pair that the lower bound excludes: fewer than one unless eps < 1/sqrt(864)."""
    rows, columns = case.table.shape
    return lower_bound_pulls(case.epsilon, rows, columns) / (rows * columns)


def dimensions_without_table(case: Case) -> float:
    """How many d in 9..2000 have no A', B' >= 3 with d/2 <= A'B' <= d, the linear lower bound's reduction."""

    def fits(dimension: int) -> bool:
        return any(2 * rows * (dimension // rows) >= dimension for rows in range(3, dimension // 3 + 1))

    return float(sum(not fits(dimension) for dimension in range(9, 2001)))


def _core_points(case: Case) -> int:
    return len(core_set(case.model.features).indices)


def _gaussian_maximum(count: int, threshold: float) -> float:
    """P(max of |Z| over count independent normals > threshold)."""
    return -math.expm1(count * math.log1p(-2 * float(norm.sf(threshold))))
