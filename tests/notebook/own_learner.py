"""A learner of somebody else: the leader's security level, as in docs/add_a_learner.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stackel_bench.families.tables.row_pulls import pull_block, pull_schedule, stack
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Schedule


@dataclass(frozen=True)
class Maximin:
    """Ignores the follower's rewards and expects the worst."""

    shift: float = 0.0
    name: str = "maximin"

    def schedule(self, sampler: Any, budget: Any) -> Schedule:
        return pull_schedule(sampler, budget, theory_pulls=1000)

    def explore_block(self, sampler: Any, schedule: Schedule, unit: int, key: Any) -> Any:
        return pull_block(sampler, schedule, unit, key)

    def decide(self, sampler: Any, schedule: Schedule, findings: Any, tie_breaking: Any) -> list[Decision]:
        sums, decisions = stack(findings), []
        for rung, (pulls, samples) in enumerate(zip(schedule.counts, schedule.samples, strict=True)):
            means = sums.leader[rung] / pulls
            row = int(means.min(axis=1).argmax())
            worst = int(means[row].argmin())
            value = float(means[row, worst]) + self.shift
            decisions.append(Decision(tie_breaking, row, None, worst, value, samples))
        return decisions
