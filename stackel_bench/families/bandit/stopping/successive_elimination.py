"""The successive elimination learner for bandit games: the paper's guarantee, pulling only what is open."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.families.bandit.stopping.elimination_rounds import (
    Elimination,
    eliminate,
    elimination_rounds,
)
from stackel_bench.families.tables.pair_sampling import PairSampler
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.guarantee import PAPER, Guarantee
from stackel_bench.learners.learner import Schedule, StreamKey
from stackel_bench.models import TieBreaking


@dataclass(frozen=True)
class SuccessiveEliminationLearner:
    """Rounds with errors ..., eps/2, eps/4, eps/8; how many of them are needed is for the game to say.

    Guarantee: both lines of Theorem nested-bandit (or nested-bandit-optimistic) with probability 1 - delta.
    At most 1 + ln(2)/ln(4AB/delta) times the paper's pulls of each pair, rounded up (elimination_rounds has
    the proof), where nothing can be settled early; usually far fewer. Which pairs are pulled depends on the
    tie-breaking, so each has a run of its own, on the same random numbers.
    """

    name: ClassVar[str] = "successive_elimination"
    guarantee: ClassVar[Guarantee] = PAPER

    def schedule(self, sampler: PairSampler, budget: Budget) -> Schedule:
        """The rounds; one unit is the whole game, and the samples named are the most that can be used."""
        if budget.kind == "fixed":
            allowed = "theory, scaled or ladder (successive_elimination decides itself how many it needs)"
            raise InputError("budget", budget.kind, allowed)
        pairs = math.prod(sampler.shape)
        arguments = (budget.epsilon, pairs, budget.delta, sampler.sub_gaussian_scale)
        rounds = elimination_rounds(*arguments, budget.scale if budget.kind == "scaled" else 1.0)
        most = rounds[-1].pulls * pairs
        if most > checks.MAX_EXACT_COUNT:
            allowed = "at most 2**53 in total; raise budget.epsilon or lower budget.scale"
            raise InputError("samples of the budget", most, allowed)
        return Schedule(
            budget=budget,
            counts=(rounds[-1].pulls,),
            samples=(most,),
            theory_samples=elimination_rounds(*arguments)[-1].pulls * pairs,
            units=1,
            seconds_per_unit=len(rounds) * (2e-4 + 6e-7 * pairs),
            shared=False,
            detail=rounds,
        )

    def explore(
        self, sampler: PairSampler, schedule: Schedule, unit: int, key: StreamKey
    ) -> dict[TieBreaking, Elimination]:
        """Where the rounds end, for each tie-breaking."""
        epsilon = schedule.budget.epsilon
        return {tie: eliminate(sampler, schedule.detail, epsilon, tie, key) for tie in TieBreaking}

    def decide(
        self,
        sampler: PairSampler,
        schedule: Schedule,
        findings: Sequence[dict[TieBreaking, Elimination]],
        tie_breaking: TieBreaking,
    ) -> list[Decision]:
        """The row that was left, with the samples that this run took."""
        found = findings[0][tie_breaking]
        diagnostics = {"rounds": float(found.rounds)}
        decision = Decision(
            tie_breaking, found.row, None, found.response, found.value, found.samples, diagnostics
        )
        return [decision]
