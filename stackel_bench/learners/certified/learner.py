"""What all learners `certified` share: a run to the stop for each tie-breaking, its loop, its schedule.

A family supplies a confidence model: what is known, what the samples so far prove, and which samples its
proof still rests on. The loop decides when to stop, and what a cap on the samples means.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.errors import InputError
from stackel_bench.learners.budget import Budget
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
        decided = {}
        for tie in TieBreaking:
            rng = streams.generator(*key, "certified")
            model = self.model(sampler, schedule, tie, rng)
            decided[tie] = run_until_certified(model, schedule.budget, schedule.samples[0], rng)
        return decided

    def decide(
        self,
        sampler: Any,
        schedule: Schedule,
        findings: Sequence[dict[TieBreaking, Decision]],
        tie_breaking: TieBreaking,
    ) -> list[Decision]:
        """The decision that the run ended with."""
        return [findings[0][tie_breaking]]


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


@dataclass(frozen=True)
class Standing:
    """What is proven of the commitment with the best proof, or of the one asked about."""

    gap: float  # certified: no other commitment is better by more; may be infinite
    settled: bool  # the leader's line of the theorem follows
    answered: bool  # the follower's: a response is known that is surely within epsilon
    low: float  # phi_{eps/2} or psi_eps of the commitment is at least this
    high: float  # phi_eps or psi_0 of it is at most this

    @property
    def proven(self) -> bool:
        """Whether both lines of the theorem follow."""
        return self.settled and self.answered


class ConfidenceModel(Protocol):
    """What is known of a game at one time, with bounds that hold at all times together."""

    @property
    def samples(self) -> int:
        """Samples so far."""

    def standing(self) -> Any:
        """What the samples prove, a Standing; bounds may be intersected with those of earlier calls."""

    def allocation(self, standing: Any) -> tuple[int, Any]:
        """How many samples to draw next, and which: those that the proof rests on."""

    def sample(self, allocation: Any, rng: np.random.Generator) -> None:
        """Draw them."""

    def decision(self, standing: Any) -> Decision:
        """The proven commitment if there is a proof, otherwise the one that point estimates favour."""


def run_until_certified(
    model: ConfidenceModel, budget: Budget, cap: int, rng: np.random.Generator
) -> Decision:
    """The decision at the first time that it is proven; `certified` in its diagnostics says whether it is.

    `cap` bounds the samples. With budget=fixed the best answer so far is returned there; otherwise the cap is
    far above what is ever needed, and reaching it is an error.
    """
    checks = 0
    while True:
        standing = model.standing()
        checks += 1
        cost, allocation = (0, None) if standing.proven else model.allocation(standing)
        if not goes_on(standing, model.samples + cost, budget, cap):
            return told(model.decision(standing), standing, checks)
        model.sample(allocation, rng)


def goes_on(standing: Standing, samples: int, budget: Budget, cap: int) -> bool:
    """Whether to go on to so many samples in all: there is no proof yet, and the cap allows it."""
    if standing.proven or samples <= cap:
        return not standing.proven
    if budget.kind != "fixed":
        raise RuntimeError(f"certified did not stop within {cap} samples, which it always should")
    return False


def largest_cap(budget: Budget, fallback: int, least: int) -> int:
    """The cap on samples: that of budget=fixed, at least `least` (its first batch), or the fallback."""
    if budget.kind != "fixed":
        return fallback
    assert budget.samples is not None
    if budget.samples < least:
        raise InputError("budget.samples", budget.samples, f"an integer >= {least} (the first batch)")
    return budget.samples


def told(decision: Decision, standing: Standing, checks: int) -> Decision:
    """The decision, with what the proof says of it."""
    told = {"certified": float(standing.proven), "checks": float(checks)}
    if math.isfinite(standing.gap):
        told["certified_gap"] = standing.gap
    return replace(decision, diagnostics={**decision.diagnostics, **told})


def takes_rounds(learner: object) -> bool:
    """Whether parts of a learner's only unit (leader actions) are explored side by side, round by round.

    Then it has `orders`, `explore_part` and `end`, as bandit-RL's `certified` has them. What is found about a
    part has an attribute `report`, all that orders depend on.
    """
    return hasattr(learner, "explore_part")


def explore_in_rounds(
    learner: Any, sampler: Any, schedule: Schedule, key: StreamKey, tie: TieBreaking
) -> list[Any]:
    """What is found about all parts at the end."""
    runs: dict[int, Any] = {}
    while orders := learner.orders(sampler, schedule, [runs[part].report for part in sorted(runs)], tie):
        for part, order in orders.items():
            runs[part] = learner.explore_part(sampler, schedule, part, key, tie, order, runs.get(part))
    return [runs[part] for part in sorted(runs)]
