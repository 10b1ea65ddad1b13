"""Nash-finding baselines: they find an equilibrium of the estimated game, which need not be Stackelberg's."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.families.tables.game import PairSampler
from stackel_bench.families.tables.row_pulls import PairLearner, PullSums, pull_block, stack
from stackel_bench.families.tables.theory import PAPER_RULE, error_of_pulls
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.guarantee import NOTHING
from stackel_bench.learners.learner import Schedule, StreamKey
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.options import option
from stackel_bench.planning.finite import turn_based_gaps
from stackel_bench.planning.mixed.nash import follower_gain, nash_equilibria, require_enumerable
from stackel_bench.planning.mixed.value import dyadic_strategy

SELECTIONS = ("best", "worst", "random")
Choice = tuple[int | None, np.ndarray | None, int, float, float]  # row or strategy, response, value, gap


@dataclass(frozen=True, eq=False)
class NashFinding:
    """Reward sums of a leader action, and for each replicate the draw that "random" picks by."""

    sums: PullSums
    draws: np.ndarray

    def __len__(self) -> int:
        return len(self.draws)

    def __getitem__(self, replicates: int | slice) -> NashFinding:
        return NashFinding(self.sums[replicates], self.draws[replicates])


@dataclass(frozen=True)
class NashLearner(PairLearner, ABC):
    """As many pulls as the paper's learner, then an equilibrium of the estimates: best, worst or random one.

    On bandit games, as turn-based Markov games, it lists the pure equilibria within 2t of being one, t the
    error of the pulls; backward_induction is Nash-VI instead (with equal counts the optimism cancels: the
    empirical best response at every row). On simultaneous games it lists the extreme mixed equilibria. The
    diagnostic nash_gap bounds what a player could still gain, with probability 1 - delta: it goes to 0 with
    the pulls. No guarantee for the Stackelberg value: on bandit/trap the loss stays 1/2 for every budget.
    """

    which: str = option("random", "which equilibrium: best or worst for the leader, or random")

    rule = PAPER_RULE
    name = "nash"
    guarantee = NOTHING
    selections: ClassVar[tuple[str, ...]] = SELECTIONS

    def __post_init__(self) -> None:
        checks.choice("algorithm.which", self.which, self.selections)

    def explore_block(
        self, sampler: PairSampler, schedule: Schedule, unit: int, key: StreamKey
    ) -> NashFinding:
        """Reward sums of one leader action."""
        draws = streams.generator(*key, "nash").random(sampler.block_size)
        return NashFinding(pull_block(sampler, schedule, unit, key), draws)

    def decide(
        self,
        sampler: PairSampler,
        schedule: Schedule,
        findings: Sequence[NashFinding],
        tie_breaking: TieBreaking,
    ) -> list[Decision]:
        """The same for both tie-breakings: equilibria know of none."""
        sums, draw = stack([finding.sums for finding in findings]), float(findings[0].draws)
        decisions = []
        for rung, (pulls, samples) in enumerate(zip(schedule.counts, schedule.samples, strict=True)):
            table = PayoffTable(sums.leader[rung] / pulls, sums.follower[rung] / pulls)
            pairs, delta = math.prod(sampler.shape), schedule.budget.delta
            error = error_of_pulls(pulls, pairs, delta, sampler.sub_gaussian_scale)
            row, strategy, response, value, gap = self.equilibrium(table, error, draw)
            diagnostics = {"nash_gap": gap + 2 * error}
            actions = {"samples": np.full(sampler.shape[0], pulls * sampler.shape[1])}
            decisions.append(
                Decision(tie_breaking, row, strategy, response, value, samples, diagnostics, actions)
            )
        return decisions

    @abstractmethod
    def equilibrium(self, table: PayoffTable, error: float, draw: float) -> Choice:
        """An equilibrium of the estimated table, chosen by `which`."""


PICK: dict[str, Callable[[np.ndarray, float], int]] = {
    "best": lambda values, draw: int(values.argmax()),
    "worst": lambda values, draw: int(values.argmin()),
    "random": lambda values, draw: int(draw * len(values)),
}


@dataclass(frozen=True)
class BanditNash(NashLearner):
    """Equilibria of the turn-based game."""

    which: str = option(
        "random", "which equilibrium: best or worst for the leader, random, or backward_induction (Nash-VI)"
    )
    selections = (*SELECTIONS, "backward_induction")

    def equilibrium(self, table: PayoffTable, error: float, draw: float) -> Choice:
        """A pure equilibrium, or what backward induction finds."""
        if self.which == "backward_induction":
            responses = table.follower_means.argmax(axis=1)
            values = np.take_along_axis(table.leader_means, responses[:, None], axis=1)[:, 0]
            row = int(values.argmax())
            return row, None, int(responses[row]), float(values[row]), 0.0
        gaps = turn_based_gaps(table.leader_means, table.follower_means)
        among = gaps <= 2 * error
        pairs, values = np.argwhere(among), table.leader_means[among]
        row, response = (int(index) for index in pairs[PICK[self.which](values, draw)])
        return row, None, response, float(table.leader_means[row, response]), float(gaps[row, response])


@dataclass(frozen=True)
class SimultaneousNash(NashLearner):
    """Mixed equilibria, which must be few enough to be listed."""

    def schedule(self, sampler: PairSampler, budget: Budget) -> Schedule:
        """Equal pulls of all pairs; sizes that cannot be enumerated are refused before anything runs."""
        require_enumerable(*sampler.shape)
        return super().schedule(sampler, budget)

    def equilibrium(self, table: PayoffTable, error: float, draw: float) -> Choice:
        """One of the extreme mixed equilibria."""
        found = nash_equilibria(table)
        nash = found[PICK[self.which](np.array([nash.leader_value for nash in found]), draw)]
        strategy = dyadic_strategy(nash.leader_strategy)
        gain = follower_gain(table, strategy, nash.follower_strategy)
        return None, strategy, int(nash.follower_strategy.argmax()), nash.leader_value, gain
