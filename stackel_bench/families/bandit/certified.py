"""The learner `certified` of bandit games: pulls what its proof rests on, stops once the proof is there."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stackel_bench.families.tables.game import PairSampler
from stackel_bench.families.tables.pair_confidence import PairConfidence, PairModel, pair_schedule
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.certified.learner import StoppingLearner
from stackel_bench.learners.certified.rows import Rows, RowStanding
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Schedule
from stackel_bench.models import TieBreaking
from stackel_bench.planning.finite import respond, response_sets

GROWTH = 0.1  # a pair that is pulled again gets this share of its pulls


class _Pulls(PairModel):
    """The confidence model of a table whose pairs are pulled."""

    def __init__(
        self, sampler: PairSampler, schedule: Schedule, tie: TieBreaking, rng: np.random.Generator
    ) -> None:
        self._rows = Rows(sampler.shape, schedule.budget.epsilon, tie)
        super().__init__(sampler, schedule, tie, rng)

    def standing(self) -> RowStanding:
        return self._rows.standing(self.about)

    def allocation(self, standing: RowStanding) -> tuple[int, np.ndarray]:
        counts = wanted_pulls(self._known, self._rows, standing, self.about is not None)
        return int(counts.sum()), counts

    def sample(self, allocation: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        rows = super().sample(allocation, rng)
        self._rows.look(rows, *(known[rows] for known in self._known.intervals))
        return rows

    def decision(self, standing: RowStanding) -> Decision:
        row, response = standing.winner, self._rows.response(standing.winner)
        if not standing.proven:
            row, response = _estimate(self._known, self._rows)
        value = float(self._known.leader[row, response] / self._known.pulls[row, response])
        return Decision(self._rows.tie, row, None, response, value, self.samples)


def wanted_pulls(known: PairConfidence, bounds: Rows, standing: RowStanding, asked: bool) -> np.ndarray:
    """Pulls [A,B] of what the bounds rest on: of the best row and of its challenger, or of the winner's.

    The best row is the one with the best point estimate: lower bounds are trivial at first, and following
    them one row would grow for nothing. Pairs with more than twice the fewest pulls among them wait.
    """
    leader, follower = known.means()
    pairs: set[tuple[int, int]] = set()
    if standing.settled:
        row = standing.winner
        pairs = {(row, int(p)) for p in np.flatnonzero(bounds.live[row])}
    else:
        best = standing.winner if asked else _estimate(known, bounds)[0]
        others = np.where(np.arange(len(leader)) == best, -np.inf, bounds.challenge)
        other = int(others.argmax())
        inner, sign, limit = other, 1, bounds.win.max() + bounds.epsilon
        if bounds.tie is TieBreaking.OPTIMISTIC:
            inner, sign, limit = best, -1, others[other] - bounds.epsilon
        pairs = {(best, int(bounds.win_rests_on[best])), (other, int(bounds.challenge_rests_on[other]))}
        pairs |= {(row, int(follower[row].argmax())) for row in (best, other)}
        beyond = bounds.live[inner] & (sign * (leader[inner] - limit) <= 0)
        if beyond.any():
            near = follower[inner] + 1 / np.sqrt(known.pulls[inner])
            pairs.add((inner, int(np.where(beyond, near, -np.inf).argmax())))
    fewest = min(known.pulls[pair] for pair in pairs)
    counts = np.zeros(leader.shape, dtype=np.int64)
    for pair in pairs:
        if known.pulls[pair] <= 2 * fewest:
            counts[pair] = max(2, int(GROWTH * known.pulls[pair]))
    return counts


def _estimate(known: PairConfidence, bounds: Rows) -> tuple[int, int]:
    """The row and the response that point estimates favour, with the tolerance between the two slacks."""
    leader, follower = known.means()
    slack = (0.75 if bounds.tie is TieBreaking.PESSIMISTIC else 0.5) * bounds.epsilon
    values, responses = respond(leader, response_sets(follower, slack), bounds.tie)
    row = int(values.argmax())
    return row, int(responses[row])


@dataclass(frozen=True)
class CertifiedLearner(StoppingLearner):
    """Pulls the responses that the bounds of the best row and of its challenger rest on."""

    version: ClassVar[int] = 3
    model = _Pulls

    def schedule(self, sampler: PairSampler, budget: Budget) -> Schedule:
        """The samples named are the most that can be used."""
        return pair_schedule(sampler, budget, 0.1 + 1e-3 * math.prod(sampler.shape))
