"""What fresh samples prove about a decision, whether or not the truth is known."""

from dataclasses import dataclass
from typing import Any

from stackel_bench.learners.budget import FixedBudget
from stackel_bench.learners.decision import Decision


@dataclass(frozen=True)
class Certificate:
    """Statements that hold together with probability 1 - delta; the suboptimality itself stays unknown.

    Pessimistic: the commitment is worth value_low or more against every follower within epsilon/2 of the
    best response, value_high or less against the worst one within epsilon, and no other commitment is worth
    more by more than `gap` against followers within epsilon. Optimistic: the same with followers who break
    ties for the leader, within epsilon (value_low), 0 (value_high, and other commitments). `answered`: the
    response that the decision expects is within epsilon of the best.
    """

    epsilon: float
    delta: float
    gap: float
    value_low: float
    value_high: float
    answered: bool
    samples: int

    @property
    def proven(self) -> bool:
        """Whether both lines of the theorem hold for the decision."""
        return self.gap <= self.epsilon and self.answered

    def __str__(self) -> str:
        unknown = "" if self.answered else "not proven that "
        return (
            f"with probability {1 - self.delta:g}: worth at least {self.value_low:.4g} and at most "
            f"{self.value_high:.4g}; nothing else is better by more than {self.gap:.4g}; {unknown}the "
            f"response is within {self.epsilon:g} of the best; {self.samples} samples; suboptimality unknown"
        )


def certificate_of(
    learner: Any, sampler: Any, decision: Decision, budget: FixedBudget, seed: int
) -> Certificate:
    """Sample what the proof of this decision rests on, until it is there or the budget is used up.

    The samples are fresh, so that it does not matter how the decision was found. The learner is a
    StoppingLearner.
    """
    schedule = learner.schedule(sampler, budget)
    found, samples = learner.prove(sampler, schedule, decision, (seed, "certificate"))
    bounds = found.gap, found.low, found.high
    return Certificate(budget.epsilon, budget.delta, *bounds, answered=found.answered, samples=samples)
