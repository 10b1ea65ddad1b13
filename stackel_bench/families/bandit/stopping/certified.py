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

    name: ClassVar[str] = "certified"
    guarantee: ClassVar[Guarantee] = PAPER

    def schedule(self, sampler: PairSampler, budget: Budget) -> Schedule:
        """One unit is the whole game; the samples named are the most that can be used."""
        pairs = math.prod(sampler.shape)
        paper = pairs * paper_pulls(budget.epsilon, pairs, budget.delta, sampler.sub_gaussian_scale)
        most = LARGEST * paper + 2 * FIRST_PULLS * pairs
        if budget.kind == "fixed":
            assert budget.samples is not None
            if budget.samples < pairs:
                allowed = f"an integer >= {pairs} (one pull of each pair)"
                raise InputError("budget.samples", budget.samples, allowed)
            most = budget.samples
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
    shrink = math.sqrt(budget.scale) if budget.kind == "scaled" else 1.0
    known = PairConfidence(sampler.shape, budget.delta, sampler.sub_gaussian_scale, shrink)
    rng = streams.generator(*key, "certified")
    counts = np.full(sampler.shape, min(FIRST_PULLS, cap // math.prod(sampler.shape)))
    rows = np.arange(sampler.shape[0])
    bounds: RowBounds | None = None
    checked = 0
    while True:
        known.add(counts, *sampler.pull_counts(counts, rng))
        bounds = _updated(bounds, rows, known.bounds(rows, budget.epsilon, tie))
        checked += 1
        standing = standing_of(bounds.win, bounds.challenge, bounds.response, budget.epsilon)
        if standing.settled and standing.response >= 0:
            return _decision(known, tie, standing.winner, standing.response, True, checked, standing.gap)
        counts = wanted_pulls(known, bounds, standing, budget.epsilon, tie)
        if known.samples + int(counts.sum()) > cap:
            if budget.kind != "fixed":
                raise RuntimeError(
                    f"certified did not stop within {cap} samples, {LARGEST} times the paper's"
                )
            row, response = _estimate(known, budget.epsilon, tie)
            return _decision(known, tie, row, response, False, checked, standing.gap)
        rows = np.flatnonzero(counts.any(axis=1))


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


def _decision(
    known: PairConfidence, tie: TieBreaking, row: int, response: int, proven: bool, checked: int, gap: float
) -> Decision:
    value = float(known.leader[row, response] / known.pulls[row, response])
    told = {"certified": float(proven), "checks": float(checked)}
    if math.isfinite(gap):
        told["certified_gap"] = gap
    return Decision(tie, row, None, response, value, known.samples, told)
