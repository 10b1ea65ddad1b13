"""RF-UCRL (Kaufmann et al. 2021) with a certificate for two unknown rewards: explores where it is loosest."""

from dataclasses import dataclass

import numpy as np

from stackel_bench.families.bandit_rl.exploration.certificate import certificate_bonus
from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Goal, Shape
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.exploration.uncertainty import uncapped_values
from stackel_bench.families.bandit_rl.explorers.greedy_run import GreedyRun
from stackel_bench.families.bandit_rl.theory import rf_ucrl_episodes


@dataclass(frozen=True)
class RFUCRL(GreedyRun):
    """Plays the policy with the largest certified error, until the certificate is at most epsilon/8.

    Then slack 3 epsilon/4 in planning gives the theorem's conclusion for every epsilon. Policies are greedy
    for the recursion without its caps, as its authors recommend; the certificate keeps the caps. Fixed
    budgets are spent to the end.
    """

    name = "rf_ucrl"
    certified = True
    proved = True

    def theory_plan(self, shape: Shape, goal: Goal) -> EpisodePlan:
        """The stopping time's bound as a limit; the certificate ends the run earlier."""
        return EpisodePlan({"explore": rf_ucrl_episodes(shape, goal)}, stop_when_certified=True)

    def action_values(self, running: RunningEstimate, goal: Goal, most: int) -> np.ndarray:
        """Those of the certificate's recursion."""
        return uncapped_values(running.counts, lambda visits: certificate_bonus(visits, goal), 1.0)
