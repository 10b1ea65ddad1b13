"""UCBVI on the follower's reward alone: natural for a follower, blind to what the leader must know."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.exploration.budgets import paper_total, single_phase
from stackel_bench.exploration.doubling_run import doubling_run
from stackel_bench.exploration.explorer import EpisodePlan, Exploration, Shape
from stackel_bench.exploration.running_estimate import RunningEstimate
from stackel_bench.exploration.uncertainty import propagated_bonus
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.streams import KeyPart


@dataclass(frozen=True)
class UCBVI:
    """Plays greedily for Q_h = min(H-h+1, r2_hat + b + p_hat max Q_{h+1}).

    b = bonus_scale 2H sqrt(ln(SBHNA/delta)/n), N being the run's total. It finds the follower's best response
    but visits other near-best responses rarely, so the leader's value over all of them stays uncertain: no
    guarantee, however long it runs.
    """

    bonus_scale: float = 1.0
    unvisited_reward: float = 0.5

    name = "ucbvi"
    certified = False

    def __post_init__(self) -> None:
        checks.real("bonus_scale", self.bonus_scale, least=0, open_least=True)
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
        """The estimate from all episodes of the run."""
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
        """One exploration per plan, all cut from the same run."""
        horizon, states, actions = simulator.shape
        caps = np.arange(horizon, 0.0, -1.0)
        total = max(1, plans[-1].total)
        log_term = math.log(states * actions * horizon * total * num_leader_actions / delta)
        width = self.bonus_scale * 2 * horizon * math.sqrt(log_term)

        def action_values(running: RunningEstimate) -> np.ndarray:
            visits = running.counts.sum(axis=3)
            at_least_one = np.maximum(visits, 1)
            optimistic = running.reward_sums()[1] / at_least_one + width / np.sqrt(at_least_one)
            bonus = np.where(visits > 0, optimistic, np.inf)
            return propagated_bonus(running.counts, bonus, caps, 1.0)[0]

        return doubling_run(
            simulator,
            plans,
            action_values,
            epsilon=epsilon,
            delta=delta,
            num_leader_actions=num_leader_actions,
            unvisited_reward=self.unvisited_reward,
            key=key,
        )
