"""A learner: the leader's security level."""

from dataclasses import dataclass

from stackel_bench.families.tables.row_pulls import pull_block, pull_schedule, stack
from stackel_bench.learners.decision import Decision
from stackel_bench.options import option


@dataclass(frozen=True)
class Maximin:
    """Ignores the follower's rewards and expects the worst."""

    pulls: int = option(1000, "pulls of each pair on budget=theory")

    name = "maximin"
    family = "bandit"

    def schedule(self, sampler, budget):
        """The same number of pulls of every pair."""
        return pull_schedule(sampler, budget, theory_pulls=self.pulls)

    def explore_block(self, sampler, schedule, unit, key):
        """Reward sums of one leader action."""
        return pull_block(sampler, schedule, unit, key)

    def decide(self, sampler, schedule, findings, tie_breaking):
        """The row whose smallest mean is largest, for each rung."""
        sums, decisions = stack(findings), []
        for rung, (pulls, samples) in enumerate(zip(schedule.counts, schedule.samples, strict=True)):
            means = sums.leader[rung] / pulls
            row = int(means.min(axis=1).argmax())
            worst = int(means[row].argmin())
            decisions.append(Decision(tie_breaking, row, None, worst, float(means[row, worst]), samples))
        return decisions
