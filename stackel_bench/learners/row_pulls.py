"""Exploration of payoff tables: the same number of pulls of every pair, one leader action at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench import streams
from stackel_bench.games.pair_sampling import PairSampler
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.learner import Schedule, StreamKey


@dataclass(frozen=True, eq=False)
class PullSums:
    """Reward sums of both players: [rung, B] for one leader action, [rung, A, B] when stacked."""

    leader: np.ndarray
    follower: np.ndarray


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
        seconds_per_unit=5e-5 + 3e-7 * follower_actions * len(counts),
    )


def pull_unit(sampler: PairSampler, schedule: Schedule, unit: int, key: StreamKey) -> PullSums:
    """The reward sums of leader action `unit`, nested along the rungs."""
    return PullSums(*sampler.pull_row(unit, schedule.counts, streams.generator(*key, "pulls", unit)))


def stack(findings: Sequence[PullSums]) -> PullSums:
    """The sums of all leader actions together."""
    leader = np.stack([row.leader for row in findings], axis=1)
    return PullSums(leader, np.stack([row.follower for row in findings], axis=1))
