"""RF-Express (Menard et al. 2021) as a sampling rule: explores with bonuses that decay as 1/n."""

import math
from dataclasses import dataclass

import numpy as np

from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.exploration.uncertainty import log1p_each, uncapped_values
from stackel_bench.families.bandit_rl.explorers.greedy_run import GreedyRun


@dataclass(frozen=True)
class RFExpress(GreedyRun):
    """Plays greedily for W_h = 15 H^2 beta(n)/n + (1 + 1/H) p_hat max W_{h+1}, without caps.

    beta(n) = ln(3 S B H/delta) + S ln(8 e (n+1)), delta shared by the leader actions. Only its sampling is
    used, at a fixed budget: with the published constants its own stopping rule needs orders of magnitude more
    than RF-UCRL's until the horizon is in the thousands.
    """

    name = "rf_express"

    def action_values(self, running: RunningEstimate, goal: Goal, most: int) -> np.ndarray:
        """W [H,S,B]."""
        horizon, states, actions = running.simulator.shape
        constant = math.log(3 * states * actions * horizon * goal.num_leader_actions / goal.delta)

        def bonus(visits: np.ndarray) -> np.ndarray:
            beta = constant + states * (math.log(8 * math.e) + log1p_each(visits))
            return np.asarray(15 * horizon**2 * beta / visits)

        return uncapped_values(running.counts, bonus, 1 + 1 / horizon)
