"""Uniform play: the floor that every explorer should beat where states are hard to reach."""

from __future__ import annotations

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
    replans = False

    def play(
        self, running: RunningEstimate, plans: Sequence[EpisodePlan], goal: Goal, rng: np.random.Generator
    ) -> Iterator[PolicyMixture]:
        """Each plan adds the episodes that it has more than the one before."""
        simulator = running.simulator
        arriving = np.zeros(simulator.shape[:2], dtype=np.int64)
        for plan in plans:
            fresh = plan.total - running.episodes
            arriving[0, simulator.initial_state] = fresh
            running.add(simulator.play_uniformly(arriving, rng), fresh)
            yield PolicyMixture.uniform(simulator.shape)
