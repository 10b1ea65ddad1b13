"""The learner `certified` of linear games: queries tell open responses apart until the answer is proven."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stackel_bench import streams
from stackel_bench.families.linear.difference_design import STEPS, difference_design
from stackel_bench.families.linear.feature_confidence import FeatureConfidence, Whitening, whitening
from stackel_bench.families.linear.game import FeatureSampler
from stackel_bench.families.linear.theory import accurate_queries
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.certified.learner import StoppingLearner, stopping_schedule
from stackel_bench.learners.certified.rows import Rows, RowStanding
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Schedule
from stackel_bench.models import TieBreaking
from stackel_bench.planning.design.feature_products import row_means
from stackel_bench.planning.finite import linear_leader_values

FIRST_QUERIES = 40  # per dimension of the span, where the paper asks for more
GROWTH = 0.2  # of all queries so far
POOL = 400  # pairs that later queries choose from
DIRECTIONS = 300  # that a design looks at, those known worst, in at most
ROWS, RESPONSES = 40, 16  # the most promising rows and their responses known worst
BLOCK_ELEMENTS = 2**20  # differences that are looked at together


def _first_batch(white: Whitening, most: int) -> np.ndarray:
    """Queries [K] of the core points, at least one of each, and in all no more than `most`, which is >= K."""
    queries = min(FIRST_QUERIES * white.rank, most - len(white.design.weights))
    return np.asarray(np.maximum(1, np.floor(white.design.weights * queries)), dtype=np.int64)


class _Queries:
    """The confidence model of a linear game."""

    def __init__(
        self, sampler: FeatureSampler, schedule: Schedule, tie: TieBreaking, rng: np.random.Generator
    ) -> None:
        budget, cap = schedule.budget, schedule.samples[0]
        white: Whitening = schedule.detail
        radius = sampler.sub_gaussian_scale * (math.sqrt(budget.scale) if budget.kind == "scaled" else 1.0)
        pairs = white.design.indices
        counts = _first_batch(white, min(cap, schedule.theory_samples))
        self._known = FeatureConfidence(white.rank, budget.delta, radius, cap / int(counts.sum()))
        self._white, self._sampler = white, sampler
        self._pool = _pool(sampler, white)
        self._pool_rows = white.coordinates(sampler.features.pairs(self._pool))
        self._rows = Rows(sampler.shape[:2], budget.epsilon, tie)
        self.about: Decision | None = None
        self.sample((pairs, counts), rng)

    @property
    def samples(self) -> int:
        return self._known.samples

    def standing(self) -> RowStanding:
        """Rows that can neither win nor challenge are left as they are."""
        matter = self._rows.challenge >= self._rows.win.max()
        if self.about is not None:
            matter[self.about.leader_action] = True
        for rows in self._blocks(np.flatnonzero(matter)):
            self._rows.look(rows, *self._known.intervals(self._coordinates(rows)))
        return self._rows.standing(self.about)

    def allocation(self, standing: RowStanding) -> tuple[int, tuple[np.ndarray, np.ndarray]]:
        rows = np.array([standing.winner])
        if not standing.settled:
            open_rows = self._rows.challenge > self._rows.win.max() + self._rows.epsilon
            rows = np.union1d(np.flatnonzero(open_rows), rows)
        queries = GROWTH * self.samples
        shares = difference_design(self._directions(rows), self._pool_rows, self._known.gram, queries, STEPS)
        counts = np.floor(shares * queries + 0.5).astype(np.int64)
        counts[shares.argmax()] += 1
        chosen = np.flatnonzero(counts)
        return int(counts.sum()), (self._pool[chosen], counts[chosen])

    def sample(self, allocation: tuple[np.ndarray, np.ndarray], rng: np.random.Generator) -> None:
        pairs, counts = allocation
        rewards = np.stack(self._sampler.pull_counts(pairs, counts, rng), axis=1)
        self._known.add(self._white.coordinates(self._sampler.features.pairs(pairs)), counts, rewards)

    def decision(self, standing: RowStanding) -> Decision:
        row, response, tie = standing.winner, self._rows.response(standing.winner), self._rows.tie
        leader, follower = self._white.parameters(self._known.fitted).T
        if not standing.proven:
            slack = (0.75 if tie is TieBreaking.PESSIMISTIC else 0.5) * self._rows.epsilon
            found = linear_leader_values(self._sampler.features, leader, follower, slack, tie, 0.0)
            row = int(found.values.argmax())
            response = int(found.responses[row])
        feature = self._sampler.features.block(row, row + 1)[0, response : response + 1]
        value = float(row_means(feature, leader, follower)[0][0])
        return Decision(tie, row, None, response, value, self.samples)

    def _blocks(self, rows: np.ndarray) -> Iterator[np.ndarray]:
        step = max(1, BLOCK_ELEMENTS // self._rows.live.shape[1] ** 2)
        yield from (rows[start : start + step] for start in range(0, len(rows), step))

    def _coordinates(self, rows: np.ndarray) -> np.ndarray:
        """Coordinates [n,B,r] of the pairs of these leader actions."""
        size = self._rows.live.shape[1]
        pairs = (rows[:, None] * size + np.arange(size)).ravel()
        found = self._white.coordinates(self._sampler.features.pairs(pairs))
        return found.reshape(len(rows), size, self._white.rank)

    def _directions(self, rows: np.ndarray) -> np.ndarray:
        """Differences [q,r] of live responses of each row, and the pairs themselves: those known worst.

        Leader means may be twice as far off as differences (pessimistic) or as far off (optimistic).
        """
        share = 0.5 if self._rows.tie is TieBreaking.PESSIMISTIC else 1.0
        kept: list[np.ndarray] = []
        for row in rows[np.argsort(-self._rows.challenge[rows], kind="stable")[:ROWS]]:
            points = self._worst_known(self._coordinates(np.array([row]))[0, self._rows.live[row]], RESPONSES)
            first, second = np.triu_indices(len(points), 1)
            kept += [points[first] - points[second], share * points]
        return self._worst_known(np.concatenate(kept), DIRECTIONS)

    def _worst_known(self, directions: np.ndarray, most: int) -> np.ndarray:
        order = np.argsort(-self._known.variances(directions), kind="stable")
        return np.asarray(directions[order[:most]])


def _pool(sampler: FeatureSampler, white: Whitening) -> np.ndarray:
    """Pairs [p] in increasing order: the core set and others at random, the same ones for every run."""
    pairs = math.prod(sampler.shape[:2])
    if pairs <= POOL:
        return np.arange(pairs)
    others = streams.generator("certified pool", *sampler.shape).choice(pairs, POOL, replace=False)
    return np.asarray(np.union1d(white.design.indices, others))


@dataclass(frozen=True)
class CertifiedLearner(StoppingLearner):
    """Least squares on everything; later queries tell apart the responses of rows that are still open."""

    version: ClassVar[int] = 2
    model = _Queries

    def schedule(self, sampler: FeatureSampler, budget: Budget) -> Schedule:
        """The samples named are the most that can be used."""
        white = whitening(sampler.features)
        points = len(white.design.indices)
        scale = sampler.sub_gaussian_scale
        paper = points * accurate_queries(budget.epsilon, white.rank, points, budget.delta, scale)
        first = int(_first_batch(white, paper).sum())
        seconds = 0.05 + 2e-9 * math.prod(sampler.shape) * sampler.shape[1] * 40
        return stopping_schedule(budget, paper, first, points, seconds, white)
