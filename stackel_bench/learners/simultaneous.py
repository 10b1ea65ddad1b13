"""Learners for simultaneous matrix games: estimate the table, commit to a mixed strategy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.games.pair_sampling import PairSampler
from stackel_bench.learners.bandit import ToleranceRule
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.guarantee import NOTHING, Guarantee, Line
from stackel_bench.learners.learner import Schedule, StreamKey
from stackel_bench.learners.row_pulls import PullSums, pull_block, pull_schedule, stack
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.mixed.optimistic import best_mixed_leader_strategy, margin_commitment
from stackel_bench.planning.mixed.pessimistic import worst_case_mixed_leader_strategy
from stackel_bench.planning.mixed.value import dyadic_strategy, grid_margin, mixed_leader_value
from stackel_bench.theory.pulls import error_of_pulls

GRID_BITS = 20


@dataclass(frozen=True)
class SimultaneousLearner:
    """paper: slack 3 eps/4 in both subroutines. plug_in: slack 0. margin: a response that wins by 2t.

    half_tolerance: slack eps/2 at error eps/4, the guarantee on phi_0. anytime: slack 2t, whatever t is.
    With 2t, t the error that the pulls guarantee, the follower's true best response is the one planned for,
    so the margin learner serves both tie-breakings; where no response can win by so much it acts as paper.
    A robust margin adds eps/2: then phi_{eps/2}, the theorem's middle term, is that value as well.
    """

    name: str
    printed_lp: bool = False
    robust_margin: bool = False
    time_limit: float | None = None

    def __post_init__(self) -> None:
        for option in ("printed_lp", "robust_margin"):
            if not isinstance(getattr(self, option), bool):
                raise InputError(f"algorithm.{option}", getattr(self, option), "true or false")
        if self.time_limit is not None:
            checks.real("algorithm.time_limit", self.time_limit, least=0, open_least=True)

    @property
    def options(self) -> dict[str, Any]:
        """What this learner can be told, defaults included."""
        own = "robust_margin" if self.name == "margin" else "printed_lp"
        return {own: getattr(self, own), "time_limit": self.time_limit}

    @property
    def _rule(self) -> ToleranceRule:
        return ToleranceRule("paper" if self.name == "margin" else self.name)

    @property
    def guarantee(self) -> Guarantee:
        """The rule's; none for the printed program (erratum 1).

        The margin's depends on D, by how much the response of the optimum can win: at error t = eps/8 it
        loses at most (4t + m)/D + 2t of max psi_0, m = 0 or eps/2 its robust part.
        """
        if self.name == "margin":
            lines = tuple(Line) if self.robust_margin else (Line.LOSS, Line.FOLLOWER)
            most = "eps/D + eps/4" if self.robust_margin else "eps/(2D) + eps/4"
            return Guarantee(lines, f"from budget=theory on, on games where {most} <= gap + eps")
        return NOTHING if self.printed_lp else self._rule.guarantee

    def schedule(self, sampler: PairSampler, budget: Budget) -> Schedule:
        """Equal pulls of all pairs; planning is part of the cost of each row."""
        pairs = math.prod(sampler.shape)
        accuracy = (budget.epsilon, pairs, budget.delta, sampler.sub_gaussian_scale)
        return pull_schedule(sampler, budget, self._rule.theory_pulls(*accuracy))

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
            slack = float(self._rule.tolerance(budget, pulls, pairs, scale))
            error = error_of_pulls(pulls, pairs, budget.delta, scale)
            commitment = self._commit(table, slack, budget.epsilon, error, tie_breaking)
            strategy, response, value, diagnostics = commitment
            actions = {"samples": np.full(len(strategy), pulls * sampler.shape[1])}
            decisions.append(
                Decision(tie_breaking, None, strategy, response, value, samples, diagnostics, actions)
            )
        return decisions

    def _commit(
        self, table: PayoffTable, slack: float, epsilon: float, error: float, tie_breaking: TieBreaking
    ) -> tuple[np.ndarray, int, float, dict[str, float]]:
        if self.name == "margin":
            allowance = epsilon / 2 if self.robust_margin else 0.0
            found = margin_commitment(table, 2 * error + allowance + grid_margin(table, GRID_BITS))
            if found is not None:
                strategy = dyadic_strategy(found.strategy, GRID_BITS)
                return strategy, found.response, found.value, {"fallback": 0.0}
        commit = _pessimistic if tie_breaking is TieBreaking.PESSIMISTIC else _optimistic
        if tie_breaking is TieBreaking.OPTIMISTIC and self.printed_lp:
            slack = 0.0
        strategy, response, value, diagnostics = commit(table, slack, epsilon, self.time_limit)
        if self.name == "margin":
            diagnostics["fallback"] = 1.0
        return strategy, response, value, diagnostics


def _optimistic(
    table: PayoffTable, slack: float, epsilon: float, time_limit: float | None
) -> tuple[np.ndarray, int, float, dict[str, float]]:
    """BestMixedLeaderStrategy: the best response is part of the program's solution."""
    found = best_mixed_leader_strategy(table, slack)
    return dyadic_strategy(found.strategy, GRID_BITS), found.response, found.value, {}


def _pessimistic(
    table: PayoffTable, slack: float, epsilon: float, time_limit: float | None
) -> tuple[np.ndarray, int, float, dict[str, float]]:
    """An eps/8-maximiser of phi_slack that stays one after rounding to the grid.

    Excluded responses may be excluded by a hair, which rounding can undo; then the search is repeated with
    a slack that leaves room for it (the interior shift), and the better of the two strategies is kept.
    """
    best: tuple[np.ndarray, int, float, dict[str, float]] | None = None
    for room in (0.0, grid_margin(table, GRID_BITS)):
        found = worst_case_mixed_leader_strategy(table, slack + room, epsilon / 8, time_limit)
        strategy = dyadic_strategy(found.strategy, GRID_BITS)
        rounded = mixed_leader_value(table, strategy, slack, TieBreaking.PESSIMISTIC)
        if best is None or rounded.value > best[2]:
            diagnostics = {
                "search_finished": float(found.finished),
                "certified_shortfall": found.upper_bound - rounded.value,
                "search_nodes": float(found.nodes),
            }
            best = strategy, rounded.response, rounded.value, diagnostics
        if rounded.value >= found.value - epsilon / 8:
            break
    assert best is not None
    return best
