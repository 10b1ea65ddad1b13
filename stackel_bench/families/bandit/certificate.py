"""What a decision on a bandit game is worth with probability 1 - delta, from samples alone."""

from __future__ import annotations

import math

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.evaluation.certificate import Certificate
from stackel_bench.families.tables.theory import error_of_pulls
from stackel_bench.families.tables.tolerance_rule import RULES, ToleranceRule
from stackel_bench.games.game import Game
from stackel_bench.learners.budget import TheoryBudget
from stackel_bench.learners.decision import Decision


def certify(game: Game, decision: Decision, algorithm: str, epsilon: float, delta: float) -> Certificate:
    """The certificate of a decision that `algorithm` made from equal pulls of all pairs.

    With error t and tolerance tau: BR_{tau-2t} is part of the empirical set, which is part of BR_{tau+2t}.
    """
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
