"""Exploration of payoff tables: equal pulls of all pairs, one leader action at a time; who learns so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stackel_bench import streams
from stackel_bench.families.tables.game import PairSampler
from stackel_bench.families.tables.theory import ToleranceRule
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.guarantee import Guarantee
from stackel_bench.learners.learner import Schedule, StreamKey


@dataclass(frozen=True, eq=False)
class PullSums:
    """Reward sums of both players: [..., rung, B] for one leader action, [..., rung, A, B] when stacked.

    The first axis is the replicate, unless one replicate was picked.
    """

    leader: np.ndarray
    follower: np.ndarray

    def __len__(self) -> int:
        return len(self.leader)

    def __getitem__(self, replicates: int | slice) -> PullSums:
        return PullSums(self.leader[replicates], self.follower[replicates])


class PairLearner:
    """Pulls all pairs equally often; `rule` says which responses count as best."""

    rule: ClassVar[ToleranceRule]

    @property
    def name(self) -> str:
        """The rule's name."""
        return self.rule.name

    @property
    def guarantee(self) -> Guarantee:
        """The rule's."""
        return self.rule.guarantee

    def schedule(self, sampler: PairSampler, budget: Budget) -> Schedule:
        """Equal pulls of all pairs."""
        accuracy = (budget.epsilon, math.prod(sampler.shape), budget.delta, sampler.sub_gaussian_scale)
        return pull_schedule(sampler, budget, self.rule.theory_pulls(*accuracy))


def pull_schedule(sampler: PairSampler, budget: Budget, theory_pulls: int) -> Schedule:
    """Every pair is pulled counts[rung] times; a unit is a leader action."""
    leader_actions, follower_actions = sampler.shape
    pairs = leader_actions * follower_actions
    counts = budget.unit_counts(theory_pulls, pairs, "pull of each pair")
    return Schedule(
        budget=budget,
        counts=counts,
        samples=tuple(count * pairs for count in counts),
        theory_samples=theory_pulls * pairs,
        units=leader_actions,
        seconds_per_unit=1e-5 + 3e-7 * follower_actions * len(counts),
    )


def pull_block(sampler: PairSampler, schedule: Schedule, unit: int, key: StreamKey) -> PullSums:
    """The reward sums of leader action `unit` for a block of replicates, nested along the rungs."""
    rng = streams.generator(*key, "pulls", unit)
    return PullSums(*sampler.pull_row(unit, schedule.counts, rng, sampler.block_size))


def stack(findings: Sequence[PullSums]) -> PullSums:
    """The sums of all leader actions together."""
    leader = np.stack([row.leader for row in findings], axis=-2)
    return PullSums(leader, np.stack([row.follower for row in findings], axis=-2))
