"""What happens in many draws of samples from true games: events that no learner's records name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import logsumexp

from stackel_bench.claims.case import Case
from stackel_bench.errors import InputError
from stackel_bench.families.tables.theory import paper_pulls
from stackel_bench.streams import generator
from stackel_bench.tolerances import VALUE

DRAWS = 4000


def sandwich_fails(case: Case) -> np.ndarray:
    """Whether BR_{eps/2} <= estimated BR_{3 eps/4} <= BR_eps fails in some row, at the theorem's pulls.

    A scaled budget takes that share of the pulls. One answer per draw.
    """
    means = case.table.follower_means
    pulls = paper_pulls(case.epsilon, means.size, case.budget.delta)
    pulls = max(1, round(pulls * getattr(case.budget, "scale", 1.0)))
    found = _estimates(case, pulls, "sandwich")
    near = found >= found.max(axis=2, keepdims=True) - 0.75 * case.epsilon
    behind = means.max(axis=1, keepdims=True) - means
    lost = (behind <= case.epsilon / 2 + VALUE) & ~near
    odd = (behind > case.epsilon + VALUE) & near
    return np.asarray((lost | odd).any(axis=(1, 2)))


def informed_learner_errs(case: Case) -> np.ndarray:
    """Whether a learner that knows the AB/eps^2 family misses the good row, per draw.

    It pulls the first block alone, whose good response leads by 2 eps (a pull there tells most of the row:
    leader rewards have the same law in all rows), all its pairs equally often, and picks the row of largest
    posterior probability where each row and response is equally likely; of equal ones any at random.
    """
    means = case.table.follower_means[:, : case.table.shape[1] // 3]
    pulls = int(getattr(case.budget, "samples", 0)) // means.size
    if pulls < 1:
        allowed = "a sample of each pair of the first block"
        raise InputError("budget.samples", getattr(case.budget, "samples", None), allowed)
    ones = _estimates(case, pulls, "informed")[:, :, : means.shape[1]] * pulls
    lead = 4 * case.epsilon  # twice the lead, by which ones are likelier and zeros less likely
    weights = logsumexp(ones * np.log1p(lead) + (pulls - ones) * np.log1p(-lead), axis=2)
    weights += VALUE * generator(0, "claims", "ties", case.game.name, pulls).random(weights.shape)
    return np.asarray(weights.argmax(axis=1) != means.max(axis=1).argmax())


def _estimates(case: Case, pulls: int, name: str) -> np.ndarray:
    """The follower's estimated means [draw, row, column]."""
    means = case.table.follower_means
    random = generator(0, "claims", name, case.game.name, pulls)
    return np.asarray(random.binomial(pulls, means, size=(DRAWS, *means.shape)) / pulls)


EVENTS: Mapping[str, Callable[[Case], np.ndarray]] = {
    function.__name__: function for function in (sandwich_fails, informed_learner_errs)
}
