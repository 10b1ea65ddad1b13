"""What a decision lost on the true game, and whether the theorem's guarantee held for it."""

from __future__ import annotations

from dataclasses import dataclass

from stackel_bench import checks
from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.learners.learner import Decision
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


def judge(oracle: Oracle, decision: Decision, epsilon: float) -> Verdict:
    """The verdict on a decision.

    Pessimistic: phi_{eps/2}(a) >= max phi_0 - gap_eps - eps = max phi_eps - eps. Optimistic: psi_0(a) >=
    max psi_0 - gap_eps - eps. Follower, both: response within eps of the best one. Where the truth is known
    only up to a certified interval, a guarantee counts as held only if it holds for the whole interval.
    """
    epsilon = checks.real("epsilon", epsilon, least=0, open_least=True)
    tie = decision.tie_breaking
    optimum = oracle.stackelberg_value(0.0, tie)
    gap = oracle.gap(epsilon, tie)
    value = oracle.value_of(decision, 0.0, tie)
    loss = optimum.high - value
    if loss < -ROUNDING:
        raise ArithmeticError(f"value {value} exceeds the optimum {optimum.high}: the oracle is wrong")
    if tie is TieBreaking.PESSIMISTIC:
        reached = oracle.value_of(decision, epsilon / 2, tie)
        wanted = oracle.stackelberg_value(epsilon, tie).high - epsilon
    else:
        reached, wanted = value, optimum.high - gap.low - epsilon
    follower_loss = oracle.follower_suboptimality(decision)
    return Verdict(
        value=value,
        value_suboptimality=loss,
        follower_suboptimality=follower_loss,
        gap=gap.high,
        guarantee=gap.high + epsilon,
        leader_guarantee_held=reached >= wanted - ROUNDING,
        follower_guarantee_held=follower_loss <= epsilon + ROUNDING,
    )
