"""Learners for bandit games: pull every pair, form response sets with a tolerance, commit to the best row."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from stackel_bench.games.pair_sampling import PairSampler
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.learner import Decision, Schedule, StreamKey
from stackel_bench.learners.row_pulls import PullSums, pull_schedule, pull_unit, stack
from stackel_bench.models import TieBreaking
from stackel_bench.planning.finite_responses import TIE_TOLERANCE, respond
from stackel_bench.theory.pulls import error_of_pulls, paper_pulls, pulls_for_error


@dataclass(frozen=True)
class ToleranceRule:
    """How far below the empirical best a response may lie, and how many pulls the rule's theorem wants.

    paper: 3 eps/4 at error eps/8 (Algorithm 1). plug_in: 0, no guarantee. half_tolerance: eps/2 at error
    eps/4, a guarantee on phi_0 only, 4 times fewer pulls. anytime: 2 t_N, whatever N is.
    """

    name: str

    def theory_pulls(self, epsilon: float, pairs: int, delta: float, sub_gaussian_scale: float) -> int:
        """Pulls of each pair under budget=theory."""
        if self.name == "half_tolerance":
            return pulls_for_error(epsilon / 4, pairs, delta, sub_gaussian_scale)
        return paper_pulls(epsilon, pairs, delta, sub_gaussian_scale)

    @functools.lru_cache(maxsize=1024)  # noqa: B019 - rules are a handful of frozen values
    def tolerance(self, budget: Budget, pulls: int, pairs: int, sub_gaussian_scale: float) -> Fraction:
        """tau, exactly: a decimal epsilon is taken at its word, 0.1 means 1/10."""
        epsilon = Fraction(repr(budget.epsilon))
        if self.name == "anytime":
            return Fraction(2 * error_of_pulls(pulls, pairs, budget.delta, sub_gaussian_scale))
        return {"paper": 3 * epsilon / 4, "plug_in": Fraction(0), "half_tolerance": epsilon / 2}[self.name]


RULES = ("paper", "plug_in", "half_tolerance", "anytime")


@dataclass(frozen=True)
class BanditLearner:
    """One exploration rule, one tolerance rule."""

    rule: ToleranceRule

    @property
    def name(self) -> str:
        """The rule's name."""
        return self.rule.name

    def schedule(self, sampler: PairSampler, budget: Budget) -> Schedule:
        """Equal pulls of all pairs."""
        pairs = math.prod(sampler.shape)
        pulls = self.rule.theory_pulls(budget.epsilon, pairs, budget.delta, sampler.sub_gaussian_scale)
        return pull_schedule(sampler, budget, pulls)

    def explore(self, sampler: PairSampler, schedule: Schedule, unit: int, key: StreamKey) -> PullSums:
        """Reward sums of one leader action."""
        return pull_unit(sampler, schedule, unit, key)

    def decide(
        self,
        sampler: PairSampler,
        schedule: Schedule,
        findings: Sequence[PullSums],
        tie_breaking: TieBreaking,
    ) -> list[Decision]:
        """The row with the best empirical value, lowest index on ties, for each rung."""
        sums = stack(findings)
        pairs = math.prod(sampler.shape)
        decisions = []
        for rung, (pulls, samples) in enumerate(zip(schedule.counts, schedule.samples, strict=True)):
            tau = self.rule.tolerance(schedule.budget, pulls, pairs, sampler.sub_gaussian_scale)
            members = empirical_response_sets(sums.follower[rung], tau, pulls, sampler.whole_rewards)
            values, responses = respond(sums.leader[rung], members, tie_breaking)
            row = int(values.argmax())
            value = float(values[row] / pulls)
            decisions.append(Decision(tie_breaking, row, None, int(responses[row]), value, samples))
        return decisions


def empirical_response_sets(
    follower_sums: np.ndarray, tau: Fraction, pulls: int, whole_rewards: bool
) -> np.ndarray:
    """Which follower actions [..., B] are within tau of the empirical best.

    Whole sums are compared as integers: k_max - k_b <= floor(tau N), no tolerance, so that an exact tie is
    one. Other sums get the rounding tolerance of true means.
    """
    behind = follower_sums.max(axis=-1, keepdims=True) - follower_sums
    if whole_rewards:
        return behind <= math.floor(tau * pulls)
    return behind <= (float(tau) + TIE_TOLERANCE) * pulls
