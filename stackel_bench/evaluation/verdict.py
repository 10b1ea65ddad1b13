"""What a decision lost on the true game, and which lines of the learner's guarantee held for it."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.learners.decision import Decision, Decisions
from stackel_bench.learners.guarantee import Line
from stackel_bench.models import TieBreaking
from stackel_bench.text import ShortRepr
from stackel_bench.tolerances import VALUE


@dataclass(frozen=True, repr=False)
class Verdict(ShortRepr):
    """Every line of the theorem by itself; the guarantee held if those did that the learner is judged by."""

    value: float  # phi_0 or psi_0 of the commitment
    value_suboptimality: float
    follower_suboptimality: float
    gap: float
    guarantee: float  # gap + epsilon, the loss that the theorem allows
    loss_guarantee_held: bool
    robustness_guarantee_held: bool | None  # None with optimistic tie-breaking, which has no such line
    follower_guarantee_held: bool
    guarantee_held: bool
    vacuous: bool  # no commitment at all could have broken the leader's lines on this game


@dataclass(frozen=True, eq=False)
class Judgement:
    """The verdicts on the decisions of some replicates at every rung: arrays [R,K].

    held and vacuous_lines know the lines that the tie-breaking has; promised are those that count.
    """

    value: np.ndarray
    value_suboptimality: np.ndarray
    follower_suboptimality: np.ndarray
    gap: float
    guarantee: float
    largest_loss: float  # that any commitment could have
    held: Mapping[Line, np.ndarray]
    vacuous_lines: Mapping[Line, bool]
    promised: frozenset[Line]

    @property
    def guarantee_held(self) -> np.ndarray:
        """Whether all lines held that the learner is judged by."""
        return functools.reduce(np.logical_and, [self.held[line] for line in self._judged])

    @property
    def vacuous(self) -> bool:
        """Whether no output can break a line of the leader (or of the follower, if no other is promised)."""
        leader = [line for line in self._judged if line is not Line.FOLLOWER]
        return all(self.vacuous_lines[line] for line in leader or self._judged)

    @property
    def _judged(self) -> list[Line]:
        return [line for line in self.held if line in self.promised]

    def at(self, replicate: int, rung: int) -> Verdict:
        """One of the verdicts."""
        here = (replicate, rung)
        held = {line: bool(self.held[line][here]) for line in self.held}
        return Verdict(
            value=float(self.value[here]),
            value_suboptimality=float(self.value_suboptimality[here]),
            follower_suboptimality=float(self.follower_suboptimality[here]),
            gap=self.gap,
            guarantee=self.guarantee,
            loss_guarantee_held=held[Line.LOSS],
            robustness_guarantee_held=held.get(Line.ROBUSTNESS),
            follower_guarantee_held=held[Line.FOLLOWER],
            guarantee_held=bool(self.guarantee_held[here]),
            vacuous=self.vacuous,
        )


def judge(oracle: Oracle, decision: Decision, epsilon: float) -> Verdict:
    """The verdict on one decision."""
    return judge_all(oracle, Decisions.of([[decision]]), epsilon).at(0, 0)


def judge_all(oracle: Oracle, decisions: Decisions, epsilon: float) -> Judgement:
    """The verdicts on decisions, by the lines of learners.guarantee.

    Where the truth is known only up to a certified interval, a line counts as held only if it holds for the
    whole interval. A line is vacuous if the lowest value that any commitment has (for the follower's line the
    largest loss that any response has) is within it as well.
    """
    epsilon = checks.real("epsilon", epsilon, least=0, open_least=True)
    tie, allows = decisions.tie_breaking, decisions.guarantee
    optimum = oracle.stackelberg_value(0.0, tie)
    gap = oracle.gap(epsilon, tie)
    values = oracle.values_of(decisions, 0.0, tie)
    losses = optimum.high - values
    if losses.min() < -VALUE:
        raise ArithmeticError(f"value {values.max()} exceeds the optimum {optimum.high}: the oracle is wrong")
    allowed, lowest = allows.loss_tolerance * epsilon, oracle.lowest_value(0.0, tie)
    if tie is TieBreaking.PESSIMISTIC:
        wanted = oracle.stackelberg_value(epsilon, tie).high - allowed - VALUE
    else:
        wanted = optimum.high - gap.low - allowed - VALUE
    held, vacuous = {Line.LOSS: values >= wanted}, {Line.LOSS: lowest >= wanted}
    if tie is TieBreaking.PESSIMISTIC:
        slack = allows.robust_slack * epsilon
        held[Line.ROBUSTNESS] = oracle.values_of(decisions, slack, tie) >= wanted
        vacuous[Line.ROBUSTNESS] = oracle.lowest_value(slack, tie) >= wanted
    follower_losses = oracle.follower_losses(decisions)
    most = allows.follower_slack * epsilon + VALUE
    held[Line.FOLLOWER] = follower_losses <= most
    vacuous[Line.FOLLOWER] = oracle.largest_follower_loss <= most
    return Judgement(
        value=values,
        value_suboptimality=losses,
        follower_suboptimality=follower_losses,
        gap=gap.high,
        guarantee=gap.high + allowed,
        largest_loss=max(0.0, optimum.high - lowest),
        held=held,
        vacuous_lines=vacuous,
        promised=frozenset(allows.lines),
    )
