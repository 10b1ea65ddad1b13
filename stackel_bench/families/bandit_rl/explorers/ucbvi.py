"""UCBVI on the follower's reward alone: natural for a follower, blind to what the leader must know."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.families.bandit_rl.exploration.doubling_run import doubling_run
from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Goal
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.exploration.uncertainty import propagated_bonus
from stackel_bench.families.bandit_rl.explorers.single_run import SingleRun
from stackel_bench.options import option
from stackel_bench.simulation.policy_mixture import PolicyMixture


@dataclass(frozen=True)
class UCBVI(SingleRun):
    """Plays greedily for Q_h = min(H-h+1, r2_hat + b + p_hat max Q_{h+1}).

    b = bonus_scale 2H sqrt(ln(SBHNA/delta)/n), N being the run's total. It finds the follower's best response
    but visits other near-best responses rarely, so the leader's value over all of them stays uncertain: no
    guarantee, however long it runs.
    """

    bonus_scale: float = option(1.0, "factor on the bonus")

    name = "ucbvi"
    replans = True

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.real("bonus_scale", self.bonus_scale, least=0, open_least=True)

    def play(
        self, running: RunningEstimate, plans: Sequence[EpisodePlan], goal: Goal, rng: np.random.Generator
    ) -> Iterator[PolicyMixture]:
        """Greedy play for Q."""
        horizon, states, actions = running.simulator.shape
        caps = np.arange(horizon, 0.0, -1.0)
        total = max(1, plans[-1].total)
        log_term = math.log(states * actions * horizon * total * goal.num_leader_actions / goal.delta)
        width = self.bonus_scale * 2 * horizon * math.sqrt(log_term)

        def action_values(running: RunningEstimate) -> np.ndarray:
            visits = running.visits()
            at_least_one = np.maximum(visits, 1)
            optimistic = running.reward_sums()[1] / at_least_one + width / np.sqrt(at_least_one)
            bonus = np.where(visits > 0, optimistic, np.inf)
            return propagated_bonus(running.counts, bonus, caps, 1.0)[0]

        return doubling_run(running, plans, goal, rng, action_values)
