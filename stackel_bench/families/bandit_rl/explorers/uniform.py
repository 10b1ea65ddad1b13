"""Uniform play: the floor that every explorer should beat where states are hard to reach."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Goal
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.explorers.single_run import SingleRun
from stackel_bench.simulation.policy_mixture import PolicyMixture


@dataclass(frozen=True)
class Uniform(SingleRun):
    """Every action equally likely at every state; it has no theorem and gets the paper's total."""

    name = "uniform"

    def play(
        self, running: RunningEstimate, plans: Sequence[EpisodePlan], goal: Goal, rng: np.random.Generator
    ) -> Iterator[PolicyMixture]:
        """Each plan adds the episodes that it has more than the one before."""
        uniform = PolicyMixture.uniform(running.simulator.shape)
        for plan in plans:
            fresh = plan.total - running.episodes
            running.add(running.simulator.play_mixture(uniform, fresh, rng), fresh)
            yield uniform
