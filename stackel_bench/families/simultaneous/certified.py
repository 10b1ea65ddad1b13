"""The learner `certified` of simultaneous games: pulls the rows that its best strategies mix, to a proof."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stackel_bench.families.simultaneous.commitments import GRID_BITS, commitment
from stackel_bench.families.tables.game import PairSampler
from stackel_bench.families.tables.pair_confidence import PairModel, pair_schedule
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.certified.learner import Standing, StoppingLearner
from stackel_bench.learners.certified.rows import RowBounds, row_bounds
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Schedule
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.mixed.fixed_order import weighted_rows, weighted_sum
from stackel_bench.planning.mixed.interval_programs import (
    best_lower_bound,
    largest_upper_bound,
    possible_replies,
)
from stackel_bench.planning.mixed.value import dyadic_strategy
from stackel_bench.tolerances import VALUE

GROWTH = 0.15  # a pair that is pulled again gets this share of its pulls
SEARCHED_TO = 0.02  # of the searches, as a share of epsilon


@dataclass(frozen=True, eq=False)
class MixedStanding(Standing):
    """The strategy [A] that it is about, with a response, and a rival that may be better still."""

    strategy: np.ndarray
    response: int
    rival: np.ndarray | None


class _Entries(PairModel):
    """The confidence model of a table whose rows are mixed."""

    def standing(self) -> MixedStanding:
        low, high, difference = self._known.intervals
        accuracy = SEARCHED_TO * self._epsilon
        upper = largest_upper_bound(high, difference, self._epsilon, self._tie, accuracy)
        if self.about is None:
            lower = best_lower_bound(low, difference, self._epsilon, self._tie, accuracy)
            found = [strategy for _, strategy in (lower, upper) if strategy is not None]
            tried = [dyadic_strategy(strategy, GRID_BITS) for strategy in found]
        else:
            assert self.about.leader_strategy is not None
            tried = [self.about.leader_strategy]
        bounds = [self._bounds(strategy) for strategy in tried]
        best = int(np.argmax([bound.win[0] for bound in bounds]))
        known = bounds[best]
        worth = float(known.win[0]) - VALUE
        response = int(known.behind[0].argmin() if self.about is None else self.about.follower_response)
        gap = upper.value - worth
        return MixedStanding(
            gap=gap,
            settled=gap <= self._epsilon,
            answered=bool(known.behind[0, response] <= self._epsilon),
            low=worth,
            high=float(known.challenge[0]) + VALUE,
            strategy=tried[best],
            response=response,
            rival=upper.strategy,
        )

    def allocation(self, standing: MixedStanding) -> tuple[int, np.ndarray]:
        """Rows in proportion to how much they are mixed, columns that may matter.

        sum_a x_a / sqrt(n_a) is least, for given pulls in sum, where n_a is proportional to x_a^(2/3).
        """
        weights = standing.strategy
        if not standing.settled and standing.rival is not None:
            weights = np.maximum(weights, standing.rival)
        pulls = self._known.pulls
        live = possible_replies(self._known.intervals.difference, self._epsilon)
        wanted = np.where(live, weights[:, None] / (pulls * np.sqrt(pulls)), 0.0)
        counts = np.where(wanted >= 0.5 * wanted.max(), np.maximum(2, np.floor(GROWTH * pulls)), 0.0)
        return int(counts.sum()), counts.astype(np.int64)

    def decision(self, standing: MixedStanding) -> Decision:
        strategy, response = standing.strategy, standing.response
        leader, follower = self._known.means()
        if not standing.proven:
            slack = (0.75 if self._tie is TieBreaking.PESSIMISTIC else 0.5) * self._epsilon
            found = commitment(PayoffTable(leader, follower), slack, self._epsilon, self._tie)
            strategy, response = found[:2]
        value = weighted_sum(strategy, leader[:, response])
        return Decision(self._tie, None, strategy, response, value, self.samples)

    def _bounds(self, strategy: np.ndarray) -> RowBounds:
        """What the intervals say of one strategy, as if it were a row; sums are wider than rounding."""
        low, high, difference = self._known.intervals
        size = low.shape[1]
        apart = weighted_rows(strategy, difference.reshape(len(low), -1)).reshape(1, size, size)
        least, most = weighted_rows(strategy, low)[None], weighted_rows(strategy, high)[None]
        return row_bounds(least, most, apart + VALUE, self._epsilon, self._tie)


@dataclass(frozen=True)
class CertifiedLearner(StoppingLearner):
    """Intervals of all entries, weighted by strategies; pulls where the two best strategies are mixed."""

    version: ClassVar[int] = 2
    model = _Entries

    def schedule(self, sampler: PairSampler, budget: Budget) -> Schedule:
        """The samples named are the most that can be used."""
        return pair_schedule(sampler, budget, 0.1 + 0.05 * math.prod(sampler.shape))
