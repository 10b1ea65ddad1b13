"""RF-UCRL (Kaufmann et al. 2021) with a certificate for two unknown rewards: explores where it is loosest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.exploration.budgets import single_phase
from stackel_bench.exploration.certificate import certificate_bonus
from stackel_bench.exploration.doubling_run import doubling_run
from stackel_bench.exploration.explorer import EpisodePlan, Exploration, Shape
from stackel_bench.exploration.running_estimate import RunningEstimate
from stackel_bench.exploration.uncertainty import propagated_bonus
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.streams import KeyPart
from stackel_bench.theory.episodes import rf_ucrl_episodes, runnable_phase

UNVISITED = 0.25  # visits that an unvisited triple counts for, so that its bonus tops every visited one


@dataclass(frozen=True)
class RFUCRL:
    """Plays the policy with the largest certified error, until the certificate is at most epsilon/8.

    Then slack 3 epsilon/4 in planning gives the theorem's conclusion for every epsilon. Policies are greedy
    for the recursion without its caps, as its authors recommend; the certificate keeps the caps. Fixed
    budgets are spent to the end.
    """

    unvisited_reward: float = 0.5

    name = "rf_ucrl"
    certified = True

    def __post_init__(self) -> None:
        checks.real("unvisited_reward", self.unvisited_reward, least=0, most=1)

    def theory_plan(self, shape: Shape, epsilon: float, delta: float, num_leader_actions: int) -> EpisodePlan:
        """The stopping time's bound as a limit; the certificate ends the run earlier."""
        bound = rf_ucrl_episodes(shape, epsilon, delta, num_leader_actions)
        return EpisodePlan({"explore": runnable_phase("explore", bound, epsilon)}, stop_when_certified=True)

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
        no_caps = np.full(simulator.shape[0], np.inf)

        def action_values(running: RunningEstimate) -> np.ndarray:
            visits = np.maximum(running.counts.sum(axis=3), UNVISITED)
            bonus = certificate_bonus(visits, delta=delta, num_leader_actions=num_leader_actions)
            return propagated_bonus(running.counts, bonus, no_caps, 1.0)[0]

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
