"""A generative model that may be asked for any (layer, state, action): the skyline of exploration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.exploration.budgets import paper_total, single_phase
from stackel_bench.exploration.explorer import EpisodePlan, Exploration, Shape
from stackel_bench.exploration.running_estimate import RunningEstimate
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.streams import KeyPart, generator


@dataclass(frozen=True)
class Generative:
    """Asks every triple equally often; H queries cost one episode, which would show H transitions."""

    unvisited_reward: float = 0.5

    name = "generative"
    certified = False

    def __post_init__(self) -> None:
        checks.real("unvisited_reward", self.unvisited_reward, least=0, most=1)

    def theory_plan(self, shape: Shape, epsilon: float, delta: float, num_leader_actions: int) -> EpisodePlan:
        """The paper's total, to compare at equal budget."""
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
        """The estimate from H plan.total queries."""
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
        """Each rung adds the queries that it has more than the one before."""
        running = RunningEstimate(simulator, self.unvisited_reward, generator(*key, "rewards"))
        rng = generator(*key, "explore")
        explorations = []
        for plan in plans:
            fresh = _queries(simulator.shape, plan.total) - running.counts.sum(axis=3)
            running.add(simulator.query(fresh, rng), plan.total - running.episodes)
            explorations.append(running.snapshot(None, delta, num_leader_actions))
        return explorations


def _queries(shape: Shape, episodes: int) -> np.ndarray:
    """Queries int64 [H,S,B] that H * episodes allow; those that do not divide evenly go to the first."""
    triples = shape[0] * shape[1] * shape[2]
    each, left = divmod(episodes * shape[0], triples)
    queries = np.full(triples, each, dtype=np.int64)
    queries[:left] += 1
    return queries.reshape(shape)
