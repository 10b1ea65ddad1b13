"""Uniform play: the floor that every explorer should beat where states are hard to reach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.exploration.budgets import paper_total, single_phase
from stackel_bench.exploration.explorer import EpisodePlan, Exploration, Shape
from stackel_bench.exploration.running_estimate import RunningEstimate
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.streams import KeyPart, generator


@dataclass(frozen=True)
class Uniform:
    """Every action equally likely at every state; at theory budgets it gets the paper's total."""

    unvisited_reward: float = 0.5

    name = "uniform"
    certified = False

    def __post_init__(self) -> None:
        checks.real("unvisited_reward", self.unvisited_reward, least=0, most=1)

    def theory_plan(self, shape: Shape, epsilon: float, delta: float, num_leader_actions: int) -> EpisodePlan:
        """The paper's total: uniform play has no theorem of its own."""
        return paper_total(shape, epsilon, delta, num_leader_actions)

    def fixed_plan(self, shape: Shape, episodes: int) -> EpisodePlan:
        """One phase."""
        return single_phase(episodes)

    def explore(
        self,
        simulator: EpisodeSimulator,
        plan: EpisodePlan,
        *,
        epsilon: float,
        delta: float,
        num_leader_actions: int,
        key: tuple[KeyPart, ...],
    ) -> Exploration:
        """The estimate from plan.total uniform episodes."""
        return self.explore_rungs(
            simulator, [plan], epsilon=epsilon, delta=delta, num_leader_actions=num_leader_actions, key=key
        )[0]

    def explore_rungs(
        self,
        simulator: EpisodeSimulator,
        plans: list[EpisodePlan],
        *,
        epsilon: float,
        delta: float,
        num_leader_actions: int,
        key: tuple[KeyPart, ...],
    ) -> list[Exploration]:
        """Each rung adds the episodes that it has more than the one before."""
        running = RunningEstimate(simulator, self.unvisited_reward, generator(*key, "rewards"))
        mixture = PolicyMixture.uniform(simulator.shape)
        rng = generator(*key, "explore")
        arriving = np.zeros(simulator.shape[:2], dtype=np.int64)
        explorations = []
        for plan in plans:
            arriving[0, simulator.initial_state] = plan.total - running.episodes
            running.add(simulator.play_uniformly(arriving, rng), plan.total - running.episodes)
            explorations.append(running.snapshot(mixture, delta, num_leader_actions))
        return explorations
