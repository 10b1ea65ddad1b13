"""UCBVI on the follower's reward alone: natural for a follower, blind to what the leader must know."""

import math
from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.exploration.uncertainty import propagated_bonus
from stackel_bench.families.bandit_rl.explorers.greedy_run import GreedyRun
from stackel_bench.options import option


@dataclass(frozen=True)
class UCBVI(GreedyRun):
    """Plays greedily for Q_h = min(H-h+1, r2_hat + b + p_hat max Q_{h+1}).

    b = bonus_scale 2H sqrt(ln(SBHNA/delta)/n), N being the run's total. It finds the follower's best response
    but visits other near-best responses rarely, so the leader's value over all of them stays uncertain: no
    guarantee, however long it runs.
    """

    bonus_scale: float = option(1.0, "factor on the bonus")

    name = "ucbvi"

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.real("bonus_scale", self.bonus_scale, least=0, open_least=True)

    def action_values(self, running: RunningEstimate, goal: Goal, most: int) -> np.ndarray:
        """Q [H,S,B]."""
        horizon, states, actions = running.simulator.shape
        log_term = math.log(states * actions * horizon * max(1, most) * goal.num_leader_actions / goal.delta)
        width = self.bonus_scale * 2 * horizon * math.sqrt(log_term)
        visits = running.visits()
        at_least_one = np.maximum(visits, 1)
        optimistic = running.reward_sums()[1] / at_least_one + width / np.sqrt(at_least_one)
        bonus = np.where(visits > 0, optimistic, np.inf)
        return propagated_bonus(running.counts, bonus, np.arange(horizon, 0.0, -1.0), 1.0)[0]
