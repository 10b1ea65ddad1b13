"""What a decision lost on the true game, and whether the theorem's guarantee held for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.learners.decision import Decision, Decisions
from stackel_bench.models import TieBreaking

ROUNDING = 1e-9


@dataclass(frozen=True)
class Verdict:
    """Both lines of the theorem, reported separately; the guarantee held if both did."""

    value: float  # phi_0 or psi_0 of the commitment
    value_suboptimality: float
    follower_suboptimality: float
    gap: float
    guarantee: float  # gap + epsilon, the loss that the theorem allows
    leader_guarantee_held: bool
    follower_guarantee_held: bool

    @property
    def guarantee_held(self) -> bool:
        """Whether both lines hold."""
        return self.leader_guarantee_held and self.follower_guarantee_held


@dataclass(frozen=True, eq=False)
class Judgement:
    """The verdicts on the decisions of some replicates at every rung: arrays [R,K]."""

    value: np.ndarray
    value_suboptimality: np.ndarray
    follower_suboptimality: np.ndarray
    gap: float
    guarantee: float
    largest_loss: float  # that any commitment could have
    leader_guarantee_held: np.ndarray
    follower_guarantee_held: np.ndarray

    def at(self, replicate: int, rung: int) -> Verdict:
        """One of the verdicts."""
        here = (replicate, rung)
        return Verdict(
            value=float(self.value[here]),
            value_suboptimality=float(self.value_suboptimality[here]),
            follower_suboptimality=float(self.follower_suboptimality[here]),
            gap=self.gap,
            guarantee=self.guarantee,
            leader_guarantee_held=bool(self.leader_guarantee_held[here]),
            follower_guarantee_held=bool(self.follower_guarantee_held[here]),
        )


def judge(oracle: Oracle, decision: Decision, epsilon: float) -> Verdict:
    """The verdict on one decision."""
    return judge_all(oracle, Decisions.of([[decision]]), epsilon).at(0, 0)


def judge_all(oracle: Oracle, decisions: Decisions, epsilon: float) -> Judgement:
    """The verdicts on decisions.

    Pessimistic: phi_{eps/2}(a) >= max phi_0 - gap_eps - eps = max phi_eps - eps. Optimistic: psi_0(a) >=
    max psi_0 - gap_eps - eps. Follower, both: response within eps of the best one. Where the truth is known
    only up to a certified interval, a guarantee counts as held only if it holds for the whole interval.
    """
    epsilon = checks.real("epsilon", epsilon, least=0, open_least=True)
    tie = decisions.tie_breaking
    optimum = oracle.stackelberg_value(0.0, tie)
    gap = oracle.gap(epsilon, tie)
    values = oracle.values_of(decisions, 0.0, tie)
    losses = optimum.high - values
    if losses.min() < -ROUNDING:
        raise ArithmeticError(f"value {values.max()} exceeds the optimum {optimum.high}: the oracle is wrong")
    if tie is TieBreaking.PESSIMISTIC:
        reached = oracle.values_of(decisions, epsilon / 2, tie)
        wanted = oracle.stackelberg_value(epsilon, tie).high - epsilon
    else:
        reached, wanted = values, optimum.high - gap.low - epsilon
    follower_losses = oracle.follower_losses(decisions)
    return Judgement(
        value=values,
        value_suboptimality=losses,
        follower_suboptimality=follower_losses,
        gap=gap.high,
        guarantee=gap.high + epsilon,
        largest_loss=max(0.0, optimum.high - oracle.lowest_value(0.0, tie)),
        leader_guarantee_held=reached >= wanted - ROUNDING,
        follower_guarantee_held=follower_losses <= epsilon + ROUNDING,
    )
