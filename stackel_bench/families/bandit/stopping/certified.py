"""The learner `certified` of bandit games: pulls what its proof rests on, stops once the proof is there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.errors import InputError
from stackel_bench.families.bandit.stopping.pair_confidence import PairConfidence
from stackel_bench.families.tables.pair_sampling import PairSampler
from stackel_bench.families.tables.theory import paper_pulls
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.certified.loop import largest_cap, run_until_certified
from stackel_bench.learners.certified.row_bounds import RowBounds
from stackel_bench.learners.certified.standing import Standing, standing_of
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.guarantee import PAPER, Guarantee
from stackel_bench.learners.learner import Schedule, StreamKey
from stackel_bench.models import TieBreaking
from stackel_bench.planning.finite.responses import respond, response_sets

FIRST_PULLS = 10  # of each pair
GROWTH = 0.1  # a pair that is pulled again gets this share of its pulls
LARGEST = 4  # times the paper's samples: far more than it ever takes, and then an error


@dataclass(frozen=True)
class CertifiedLearner:
    """Both lines of the theorem with probability 1 - delta, from as few pulls as prove them on this game.

    Runs to its stop on budget=theory and budget=ladder (one rung); budget=fixed is a cap on the samples;
    budget=scaled shrinks every confidence radius by sqrt(scale), and gives the guarantee away.
    """

    version: ClassVar[int] = 2
    name: ClassVar[str] = "certified"
    guarantee: ClassVar[Guarantee] = PAPER

    def schedule(self, sampler: PairSampler, budget: Budget) -> Schedule:
        """One unit is the whole game; the samples named are the most that can be used."""
        pairs = math.prod(sampler.shape)
        paper = pairs * paper_pulls(budget.epsilon, pairs, budget.delta, sampler.sub_gaussian_scale)
        most = largest_cap(budget, LARGEST * paper + 2 * FIRST_PULLS * pairs, pairs)
        if most > checks.MAX_EXACT_COUNT:
            raise InputError("samples of the budget", most, "at most 2**53 in total; raise budget.epsilon")
        return Schedule(
            budget=budget,
            counts=(most // pairs,),
            samples=(most,),
            theory_samples=paper,
            units=1,
            seconds_per_unit=0.1 + 1e-3 * pairs,
            shared=False,
        )

    def explore(
        self, sampler: PairSampler, schedule: Schedule, unit: int, key: StreamKey
    ) -> dict[TieBreaking, Decision]:
        """What is decided where the run ends, for each tie-breaking."""
        return {tie: _run(sampler, schedule, tie, key) for tie in TieBreaking}

    def decide(
        self,
        sampler: PairSampler,
        schedule: Schedule,
        findings: Sequence[dict[TieBreaking, Decision]],
        tie_breaking: TieBreaking,
    ) -> list[Decision]:
        """The decision that the run ended with."""
        return [findings[0][tie_breaking]]


def _run(sampler: PairSampler, schedule: Schedule, tie: TieBreaking, key: StreamKey) -> Decision:
    budget, cap = schedule.budget, schedule.samples[0]
    rng = streams.generator(*key, "certified")
    return run_until_certified(_Pulls(sampler, budget, tie, cap, rng), budget, cap, rng)


class _Pulls:
    """The confidence model of a table whose pairs are pulled."""

    def __init__(
        self, sampler: PairSampler, budget: Budget, tie: TieBreaking, cap: int, rng: np.random.Generator
    ) -> None:
        shrink = math.sqrt(budget.scale) if budget.kind == "scaled" else 1.0
        scale = None if sampler.unit_rewards else sampler.sub_gaussian_scale
        self._known = PairConfidence(sampler.shape, budget.delta, scale, shrink)
        self._sampler, self._epsilon, self._tie = sampler, budget.epsilon, tie
        self._rows = np.arange(sampler.shape[0])  # whose bounds are out of date
        self._bounds: RowBounds | None = None
        self.sample(np.full(sampler.shape, min(FIRST_PULLS, cap // math.prod(sampler.shape))), rng)

    @property
    def samples(self) -> int:
        return self._known.samples

    def standing(self) -> Standing:
        now = self._known.bounds(self._rows, self._epsilon, self._tie)
        bounds = self._bounds = _updated(self._bounds, self._rows, now)
        return standing_of(bounds.win, bounds.challenge, bounds.response, self._epsilon)

    def allocation(self, standing: Standing) -> tuple[int, np.ndarray]:
        assert self._bounds is not None
        counts = wanted_pulls(self._known, self._bounds, standing, self._epsilon, self._tie)
        return int(counts.sum()), counts

    def sample(self, allocation: np.ndarray, rng: np.random.Generator) -> None:
        self._known.add(allocation, *self._sampler.pull_counts(allocation, rng))
        self._rows = np.flatnonzero(allocation.any(axis=1))

    def decision(self, standing: Standing) -> Decision:
        row, response = standing.winner, standing.response
        if not standing.proven:
            row, response = _estimate(self._known, self._epsilon, self._tie)
        value = float(self._known.leader[row, response] / self._known.pulls[row, response])
        return Decision(self._tie, row, None, response, value, self.samples)


def wanted_pulls(
    known: PairConfidence, bounds: RowBounds, standing: Standing, epsilon: float, tie: TieBreaking
) -> np.ndarray:
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
        best, _ = _estimate(known, epsilon, tie)
        others = np.where(np.arange(len(leader)) == best, -np.inf, bounds.challenge)
        other = int(others.argmax())
        inner = other if tie is TieBreaking.PESSIMISTIC else best
        sign = 1 if tie is TieBreaking.PESSIMISTIC else -1
        limit = bounds.win.max() + epsilon if inner == other else others[other] - epsilon
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


def _estimate(known: PairConfidence, epsilon: float, tie: TieBreaking) -> tuple[int, int]:
    """The row and the response that point estimates favour, with the tolerance between the two slacks."""
    leader, follower = known.means()
    slack = 0.75 * epsilon if tie is TieBreaking.PESSIMISTIC else 0.5 * epsilon
    values, responses = respond(leader, response_sets(follower, slack), tie)
    row = int(values.argmax())
    return row, int(responses[row])


def _updated(before: RowBounds | None, rows: np.ndarray, now: RowBounds) -> RowBounds:
    if before is None:
        return now
    for kept, new in zip(before, now, strict=True):
        kept[rows] = new
    return before
