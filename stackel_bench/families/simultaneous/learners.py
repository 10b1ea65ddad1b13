"""Learners for simultaneous matrix games: estimate the table, commit to a mixed strategy."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.families.simultaneous.commitments import GRID_BITS, Commitment, commitment
from stackel_bench.families.tables.game import PairSampler
from stackel_bench.families.tables.row_pulls import PairLearner, PullSums, pull_block, stack
from stackel_bench.families.tables.theory import (
    ANYTIME_RULE,
    HALF_RULE,
    PAPER_RULE,
    PLUG_IN_RULE,
    error_of_pulls,
)
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.guarantee import NOTHING, Guarantee, Line
from stackel_bench.learners.learner import Schedule, StreamKey
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.options import option
from stackel_bench.planning.mixed.optimistic import margin_commitment
from stackel_bench.planning.mixed.value import dyadic_strategy, grid_margin


@dataclass(frozen=True)
class SimultaneousLearner(PairLearner):
    """Pulls all pairs equally often and commits by a search with the rule's slack."""

    time_limit: float | None = option(
        None, "seconds after which branch and bound returns its certified interval (null: no limit)"
    )

    def __post_init__(self) -> None:
        if self.time_limit is not None:
            checks.real("algorithm.time_limit", self.time_limit, least=0, open_least=True)

    def explore_block(self, sampler: PairSampler, schedule: Schedule, unit: int, key: StreamKey) -> PullSums:
        """Reward sums of one leader action."""
        return pull_block(sampler, schedule, unit, key)

    def decide(
        self,
        sampler: PairSampler,
        schedule: Schedule,
        findings: Sequence[PullSums],
        tie_breaking: TieBreaking,
    ) -> list[Decision]:
        """A strategy on the dyadic grid, for each rung."""
        sums = stack(findings)
        decisions = []
        for rung, (pulls, samples) in enumerate(zip(schedule.counts, schedule.samples, strict=True)):
            table = PayoffTable(sums.leader[rung] / pulls, sums.follower[rung] / pulls)
            pairs, budget = table.leader_means.size, schedule.budget
            scale = sampler.sub_gaussian_scale
            slack = float(self.rule.tolerance(budget, pulls, pairs, scale))
            error = error_of_pulls(pulls, pairs, budget.delta, scale)
            committed = self._commit(table, slack, budget.epsilon, error, tie_breaking)
            strategy, response, value, diagnostics = committed
            actions = {"samples": np.full(len(strategy), pulls * sampler.shape[1])}
            decisions.append(
                Decision(tie_breaking, None, strategy, response, value, samples, diagnostics, actions)
            )
        return decisions

    def _commit(
        self, table: PayoffTable, slack: float, epsilon: float, error: float, tie_breaking: TieBreaking
    ) -> Commitment:
        return commitment(table, slack, epsilon, tie_breaking, self.time_limit)


@dataclass(frozen=True)
class _PrintedLearner(SimultaneousLearner):
    """A learner whose optimistic linear program can be run as printed."""

    printed_lp: bool = option(
        False, "optimistic only: run the linear program exactly as printed, without its tolerance (erratum 1)"
    )

    @property
    def guarantee(self) -> Guarantee:
        """The rule's; none for the printed program (erratum 1)."""
        return NOTHING if self.printed_lp else self.rule.guarantee

    def _commit(
        self, table: PayoffTable, slack: float, epsilon: float, error: float, tie_breaking: TieBreaking
    ) -> Commitment:
        printed = self.printed_lp and tie_breaking is TieBreaking.OPTIMISTIC
        return super()._commit(table, 0.0 if printed else slack, epsilon, error, tie_breaking)


class Paper(_PrintedLearner):
    """Slack 3 eps/4 in both subroutines."""

    rule = PAPER_RULE


class PlugIn(_PrintedLearner):
    """Slack 0; no guarantee."""

    rule = PLUG_IN_RULE


class HalfTolerance(_PrintedLearner):
    """Slack eps/2 at error eps/4; nothing promised of phi_{eps/2}."""

    rule = HALF_RULE


class Anytime(_PrintedLearner):
    """Slack 2t, t the error of the pulls, whatever it is."""

    rule = ANYTIME_RULE


@dataclass(frozen=True)
class Margin(SimultaneousLearner):
    """Commits so that the wanted response wins by 2t, t the error that the pulls guarantee.

    Then the follower's true best response is the one planned for, so it serves both tie-breakings; where no
    response can win by so much it acts as the paper's learner. A robust margin adds eps/2: then phi_{eps/2},
    the theorem's middle term, is that value as well.
    """

    robust_margin: bool = option(
        False, "add eps/2 to the margin, so that the response also wins when the follower errs by eps/2"
    )

    rule = PAPER_RULE
    name = "margin"

    @property
    def guarantee(self) -> Guarantee:
        """Depends on D, by how much the response of the optimum can win.

        At error t = eps/8 it loses at most (4t + m)/D + 2t of max psi_0, m = 0 or eps/2 its robust part.
        """
        lines = tuple(Line) if self.robust_margin else (Line.LOSS, Line.FOLLOWER)
        most = "eps/D + eps/4" if self.robust_margin else "eps/(2D) + eps/4"
        return Guarantee(lines, f"from budget=theory on, on games where {most} <= gap + eps")

    def _commit(
        self, table: PayoffTable, slack: float, epsilon: float, error: float, tie_breaking: TieBreaking
    ) -> Commitment:
        allowance = epsilon / 2 if self.robust_margin else 0.0
        found = margin_commitment(table, 2 * error + allowance + grid_margin(table, GRID_BITS))
        if found is not None:
            return dyadic_strategy(found.strategy, GRID_BITS), found.response, found.value, {"fallback": 0.0}
        strategy, response, value, diagnostics = super()._commit(table, slack, epsilon, error, tie_breaking)
        return strategy, response, value, {**diagnostics, "fallback": 1.0}
