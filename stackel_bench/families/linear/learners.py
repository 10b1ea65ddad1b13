"""Learners for linear bandit games: query a core set, fit both parameters, scan the response sets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stackel_bench import streams
from stackel_bench.errors import InputError
from stackel_bench.families.linear.game import FeatureSampler
from stackel_bench.families.linear.theory import accurate_queries
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.guarantee import NOTHING, PAPER, Guarantee
from stackel_bench.learners.learner import Schedule, StreamKey
from stackel_bench.models import TieBreaking
from stackel_bench.planning.design.core_set import CoreSet, core_set
from stackel_bench.planning.design.least_squares import least_squares
from stackel_bench.planning.finite import linear_leader_values

_SCAN_SECONDS = 4e-10  # per pair and dimension, for batching only


@dataclass(frozen=True)
class _CoreQueries:
    """The core set, and for each rung how often each of its points is queried."""

    design: CoreSet
    queries: tuple[tuple[int, ...], ...]


class LinearLearner:
    """Queries a core set, fits both parameters by least squares, scans responses within `tolerance` * eps."""

    name: ClassVar[str]
    guarantee: ClassVar[Guarantee] = PAPER
    tolerance: ClassVar[float] = 0.75
    by_design: ClassVar[bool] = False  # queries in proportion to the design, ordinary least squares

    def schedule(self, sampler: FeatureSampler, budget: Budget) -> Schedule:
        """Queries per core point; a unit is a core point."""
        leaders, followers, dimension = sampler.shape
        pairs = leaders * followers
        design = core_set(sampler.features)
        points = len(design.indices)
        accuracy = (budget.epsilon, design.rank)
        scale = sampler.sub_gaussian_scale
        if self.by_design:
            theory = accurate_queries(*accuracy, pairs, budget.delta, scale)
            counts = budget.unit_counts(theory, 1, "query")
            if budget.total_is_given:  # rounding up may add one query at each point
                if counts[-1] <= points:
                    allowed = f"an integer >= {points + 1} (a query of each core point)"
                    raise InputError("budget.samples", budget.samples, allowed)
                counts = tuple(max(1, count - points) for count in counts)
            queries = [tuple(math.ceil(weight * count) for weight in design.weights) for count in counts]
        else:
            theory = accurate_queries(*accuracy, points, budget.delta, scale)
            counts = budget.unit_counts(theory, points, "query of each core point")
            queries = [(count,) * points for count in counts]
        return Schedule(
            budget=budget,
            counts=counts,
            samples=tuple(sum(rung) for rung in queries),
            theory_samples=theory if self.by_design else theory * points,
            units=points,
            seconds_per_unit=5e-5 + _SCAN_SECONDS * pairs * dimension * len(counts) / points,
            detail=_CoreQueries(design, tuple(queries)),
        )

    def explore_block(
        self, sampler: FeatureSampler, schedule: Schedule, unit: int, key: StreamKey
    ) -> np.ndarray:
        """Mean rewards [replicate, player, rung] at one core point, nested along the rungs."""
        core: _CoreQueries = schedule.detail
        pair = int(core.design.indices[unit])
        ladder = [rung[unit] for rung in core.queries]
        rng = streams.generator(*key, "queries", pair)
        sums = sampler.pull_pair(pair, ladder, rng, sampler.block_size)
        return np.asarray(np.stack(sums, axis=1) / np.array(ladder))

    def decide(
        self,
        sampler: FeatureSampler,
        schedule: Schedule,
        findings: Sequence[np.ndarray],
        tie_breaking: TieBreaking,
    ) -> list[Decision]:
        """The leader action with the best fitted value, lowest index on ties, for each rung."""
        core: _CoreQueries = schedule.detail
        points = sampler.features.pairs(core.design.indices)
        means = np.stack(findings)  # [point, player, rung]
        slack = self.tolerance * schedule.budget.epsilon
        decisions = []
        for rung, (queries, samples) in enumerate(zip(core.queries, schedule.samples, strict=True)):
            weights = np.array(queries) if self.by_design else core.design.weights
            roots = np.sqrt(weights)[:, None]
            fitted = least_squares(points * roots, means[:, :, rung] * roots, core.design.rank)
            leader, follower = fitted.T
            found = linear_leader_values(sampler.features, leader, follower, slack, tie_breaking, 0.0)
            best = int(found.values.argmax())
            response, value = int(found.responses[best]), float(found.values[best])
            name = "estimated_phi" if tie_breaking is TieBreaking.PESSIMISTIC else "estimated_psi"
            actions = {name: found.values}
            decisions.append(Decision(tie_breaking, best, None, response, value, samples, actions=actions))
        return decisions


@dataclass(frozen=True)
class Paper(LinearLearner):
    """Algorithm 3: equal queries at all core points, weighted least squares, tolerance 3 eps/4."""

    name = "paper"


@dataclass(frozen=True)
class PlugIn(LinearLearner):
    """The same with tolerance 0; no guarantee."""

    name = "plug_in"
    guarantee = NOTHING
    tolerance = 0.0


@dataclass(frozen=True)
class GOptimal(LinearLearner):
    """Queries in proportion to the design: the paper's guarantee with d log(AB) instead of d^2."""

    name = "g_optimal"
    by_design = True
