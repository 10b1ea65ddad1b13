"""What all learners `certified` share: one run to the stop for each tie-breaking, and its schedule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from stackel_bench import checks, streams
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.certified.loop import largest_cap, run_until_certified
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.guarantee import PAPER, Guarantee
from stackel_bench.learners.learner import Schedule, StreamKey
from stackel_bench.models import TieBreaking

LARGEST = 4  # times the paper's samples: far more than it ever takes, and then an error


class StoppingLearner:
    """Both lines of the theorem with probability 1 - delta, from as few samples as prove them on this game.

    Runs to its stop on budget=theory and budget=ladder (one rung); budget=fixed is a cap on the samples;
    budget=scaled shrinks every confidence radius by sqrt(scale), and gives the guarantee away. A family says
    in `model` what is known after a first batch; one unit is the whole game, and each tie-breaking has its
    own run.
    """

    name: ClassVar[str] = "certified"
    guarantee: ClassVar[Guarantee] = PAPER
    model: ClassVar[type[Any]]  # a ConfidenceModel, made of (sampler, schedule, tie_breaking, rng)

    def prove(self, sampler: Any, schedule: Schedule, decision: Decision, key: StreamKey) -> tuple[Any, int]:
        """Where this decision stands once it is proven or the budget is used up, and after how many samples.

        The model has an attribute `about`: the only decision that it is to prove.
        """
        rng = streams.generator(*key)
        model: Any = self.model(sampler, schedule, decision.tie_breaking, rng)
        model.about = decision
        run_until_certified(model, schedule.budget, schedule.samples[0], rng)
        return model.standing(), model.samples

    def explore(
        self, sampler: Any, schedule: Schedule, unit: int, key: StreamKey
    ) -> dict[TieBreaking, Decision]:
        """What is decided where the run ends, for each tie-breaking."""
        return {tie: self._run(sampler, schedule, tie, key) for tie in TieBreaking}

    def decide(
        self,
        sampler: Any,
        schedule: Schedule,
        findings: Sequence[dict[TieBreaking, Decision]],
        tie_breaking: TieBreaking,
    ) -> list[Decision]:
        """The decision that the run ended with."""
        return [findings[0][tie_breaking]]

    def _run(self, sampler: Any, schedule: Schedule, tie: TieBreaking, key: StreamKey) -> Decision:
        rng = streams.generator(*key, "certified")
        model = self.model(sampler, schedule, tie, rng)
        return run_until_certified(model, schedule.budget, schedule.samples[0], rng)


def stopping_schedule(
    budget: Budget, paper: int, first: int, least: int, seconds: float, detail: Any = None
) -> Schedule:
    """One rung; the samples named are the most that can be used: the cap, or a few times the paper's.

    `first` samples are the first batch, of which a cap must leave `least`.
    """
    most = largest_cap(budget, min(LARGEST * paper + 2 * first, checks.MAX_EXACT_COUNT), least)
    return Schedule(
        budget=budget,
        counts=(most,),
        samples=(most,),
        theory_samples=paper,
        units=1,
        seconds_per_unit=seconds,
        shared=False,
        detail=detail,
    )
