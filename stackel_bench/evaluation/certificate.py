"""What a decision on a bandit game is worth with probability 1 - delta, from samples alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.games.game import Game
from stackel_bench.learners.bandit import RULES, ToleranceRule
from stackel_bench.learners.budget import TheoryBudget
from stackel_bench.learners.decision import Decision
from stackel_bench.theory.pulls import error_of_pulls


@dataclass(frozen=True)
class Certificate:
    """Statements that hold together with probability 1 - delta; the suboptimality itself stays unknown.

    error is t: every mean of both players is known up to it. The leader's mean reward at the pair that the
    decision expects is in [value_low, value_high]. The response expected is within follower_slack of the
    follower's best. A pessimistic decision earns at least value_low from every follower who responds within
    robust_slack of the best; an optimistic one from the follower who responds as expected. If guaranteed,
    the commitment is within 2 error of the best value at slack follower_slack (pessimistic) or robust_slack
    (optimistic); without enough samples, tolerance < 2 error, there is no such statement.
    """

    error: float
    delta: float
    value_low: float
    value_high: float
    follower_slack: float
    robust_slack: float | None
    samples: int

    @property
    def guaranteed(self) -> bool:
        """Whether the tolerance covers the error, so that the theorem's argument goes through."""
        return self.robust_slack is not None

    def __str__(self) -> str:
        robust = "none: too few samples" if self.robust_slack is None else f"slack {self.robust_slack:.4g}"
        return (
            f"with probability {1 - self.delta:g}: "
            f"leader value in [{self.value_low:.4g}, {self.value_high:.4g}]; "
            f"response within {self.follower_slack:.4g} of the best; robustness {robust}; "
            f"{self.samples} samples; suboptimality unknown"
        )


def certify(game: Game, decision: Decision, algorithm: str, epsilon: float, delta: float) -> Certificate:
    """The certificate of a decision that `algorithm` made from equal pulls of all pairs.

    With error t and tolerance tau: BR_{tau-2t} is part of the empirical set, which is part of BR_{tau+2t}.
    """
    checks.choice("game.family", game.family, ("bandit",))
    checks.choice("algorithm", algorithm, RULES)
    pairs = math.prod(game.sizes.values())
    pulls, rest = divmod(decision.samples, pairs)
    if rest or not pulls:
        allowed = f"a multiple of {pairs}, equal pulls of all pairs"
        raise InputError("result.samples", decision.samples, allowed)
    budget = TheoryBudget(epsilon=epsilon, delta=delta)
    scale = game.sampler.sub_gaussian_scale
    error = error_of_pulls(pulls, pairs, budget.delta, scale)
    tolerance = float(ToleranceRule(algorithm).tolerance(budget, pulls, pairs, scale))
    room = tolerance - 2 * error
    return Certificate(
        error=error,
        delta=delta,
        value_low=decision.estimated_value - error,
        value_high=decision.estimated_value + error,
        follower_slack=tolerance + 2 * error,
        robust_slack=room if room >= 0 else None,
        samples=decision.samples,
    )
