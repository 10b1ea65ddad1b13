"""RF-Express (Menard et al. 2021) as a sampling rule: explores with bonuses that decay as 1/n."""

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

UNVISITED = 0.25  # visits that an unvisited triple counts for, so that its bonus tops every visited one


@dataclass(frozen=True)
class RFExpress:
    """Plays greedily for W_h = 15 H^2 beta(n)/n + (1 + 1/H) p_hat max W_{h+1}, without caps.

    beta(n) = ln(3 S B H/delta) + S ln(8 e (n+1)), delta shared by the leader actions. Only its sampling is
    used, at a fixed budget: with the published constants its own stopping rule needs orders of magnitude more
    than RF-UCRL's until the horizon is in the thousands.
    """

    unvisited_reward: float = 0.5

    name = "rf_express"
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
        no_caps = np.full(horizon, np.inf)
        constant = math.log(3 * states * actions * horizon * num_leader_actions / delta)

        def action_values(running: RunningEstimate) -> np.ndarray:
            visits = np.maximum(running.counts.sum(axis=3), UNVISITED)
            beta = constant + states * (math.log(8 * math.e) + np.log1p(visits))
            bonus = 15 * horizon**2 * beta / visits
            return propagated_bonus(running.counts, bonus, no_caps, 1 + 1 / horizon)[0]

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
