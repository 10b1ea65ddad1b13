"""What happens in many draws of samples from true games: events that no learner's records name."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from stackel_bench.claims.case import Case
from stackel_bench.errors import InputError
from stackel_bench.families.tables.theory import paper_pulls
from stackel_bench.models import TieBreaking
from stackel_bench.planning.mixed.value import mixed_leader_values
from stackel_bench.streams import generator
from stackel_bench.tolerances import VALUE

DRAWS = 4000
STRATEGIES = 33
PESSIMISTIC = TieBreaking.PESSIMISTIC


def sandwich_fails(case: Case) -> np.ndarray:
    """Whether BR_{eps/2} <= estimated BR_{3 eps/4} <= BR_eps fails in some row, at the theorem's pulls.

    A scaled budget takes that share of the pulls. One answer per draw.
    """
    near, behind = _near(case), _behind(case.table.follower_means)
    lost = (behind <= case.epsilon / 2 + VALUE) & ~near
    odd = (behind > case.epsilon + VALUE) & near
    return np.asarray((lost | odd).any(axis=(1, 2)))


def whole_set_is_lost(case: Case) -> np.ndarray:
    """Whether the estimated BR_{3 eps/4} lacks a response in BR_eps in some row, at the theorem's pulls."""
    behind = _behind(case.table.follower_means)
    return np.asarray(((behind <= case.epsilon + VALUE) & ~_near(case)).any(axis=(1, 2)))


def near_maximiser_fails(case: Case) -> np.ndarray:
    """Whether some strategy breaks the theorem whose empirical phi_{3 eps/4} is within 3 eps/4 of the best.

    Over a grid of mixed strategies of two rows, each with whatever response the estimates take for its worst.
    """
    grid = np.linspace(0.0, 1.0, STRATEGIES)
    strategies = np.stack([grid, 1 - grid], axis=1)
    follower = strategies @ _estimates(case, _pulls(case), "strategies")
    leader = strategies @ _estimates(case, _pulls(case), "leader", case.table.leader_means)
    near = follower >= follower.max(axis=2, keepdims=True) - 0.75 * case.epsilon
    worst = np.where(near, leader, np.inf)
    values, responses = worst.min(axis=2), worst.argmin(axis=2)
    chosen = values >= values.max(axis=1, keepdims=True) - 0.75 * case.epsilon
    behind = _behind(strategies @ case.table.follower_means)
    allowed = behind <= case.epsilon + VALUE
    phi = [mixed_leader_values(case.table, strategies, s * case.epsilon, PESSIMISTIC) for s in (0.5, 1.0)]
    loses = phi[0] < phi[1].max() - case.epsilon - VALUE
    odd = ~allowed[np.arange(STRATEGIES), responses]
    return np.asarray((chosen & (loses | odd)).any(axis=1))


def informed_learner_errs(case: Case) -> np.ndarray:
    """Whether a learner that knows the AB/eps^2 family misses the good row, per draw.

    It pulls the first block alone, whose good response leads by 2 eps (a pull there tells most of the row:
    leader rewards have the same law in all rows), all its pairs equally often, and picks the row of largest
    posterior probability where each row and response is equally likely; of equal ones any at random.
    """
    means = case.table.follower_means[:, : case.table.shape[1] // 3]
    pulls = (case.budget.samples or 0) // means.size
    if pulls < 1:
        allowed = "a sample of each pair of the first block"
        raise InputError("budget.samples", case.budget.samples, allowed)
    ones = _estimates(case, pulls, "informed")[:, :, : means.shape[1]] * pulls
    lead = 4 * case.epsilon  # twice the lead, by which ones are likelier and zeros less likely
    weights = logsumexp(ones * np.log1p(lead) + (pulls - ones) * np.log1p(-lead), axis=2)
    weights += VALUE * generator(case.seed, "claims", "ties", case.game.name, pulls).random(weights.shape)
    return np.asarray(weights.argmax(axis=1) != means.max(axis=1).argmax())


def _pulls(case: Case) -> int:
    """The theorem's pulls of each pair, or the share of a scaled budget."""
    pulls = paper_pulls(case.epsilon, case.table.follower_means.size, case.budget.delta)
    return max(1, round(pulls * case.budget.scale))


def _near(case: Case) -> np.ndarray:
    """The estimated response sets BR_{3 eps/4} [draw, row, column]."""
    found = _estimates(case, _pulls(case), "sandwich")
    return np.asarray(found >= found.max(axis=2, keepdims=True) - 0.75 * case.epsilon)


def _behind(means: np.ndarray) -> np.ndarray:
    """How far each response is behind the best one of its row."""
    return np.asarray(means.max(axis=1, keepdims=True) - means)


def _estimates(case: Case, pulls: int, name: str, means: np.ndarray | None = None) -> np.ndarray:
    """Estimated means [draw, row, column], the follower's by default."""
    means = case.table.follower_means if means is None else means
    random = generator(case.seed, "claims", name, case.game.name, pulls)
    return np.asarray(random.binomial(pulls, means, size=(DRAWS, *means.shape)) / pulls)
