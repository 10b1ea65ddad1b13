"""RF-UCRL (Kaufmann et al. 2021) with a certificate for two unknown rewards: explores where it is loosest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench.families.bandit_rl.exploration.certificate import certificate_bonus
from stackel_bench.families.bandit_rl.exploration.doubling_run import doubling_run
from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Goal, Shape
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.exploration.uncertainty import uncapped_values
from stackel_bench.families.bandit_rl.explorers.single_run import SingleRun
from stackel_bench.families.bandit_rl.theory import rf_ucrl_episodes
from stackel_bench.simulation.policy_mixture import PolicyMixture


@dataclass(frozen=True)
class RFUCRL(SingleRun):
    """Plays the policy with the largest certified error, until the certificate is at most epsilon/8.

    Then slack 3 epsilon/4 in planning gives the theorem's conclusion for every epsilon. Policies are greedy
    for the recursion without its caps, as its authors recommend; the certificate keeps the caps. Fixed
    budgets are spent to the end.
    """

    name = "rf_ucrl"
    certified = True
    proved = True
    replans = True

    def theory_plan(self, shape: Shape, goal: Goal) -> EpisodePlan:
        """The stopping time's bound as a limit; the certificate ends the run earlier."""
        bound = rf_ucrl_episodes(shape, goal.epsilon, goal.delta, goal.num_leader_actions)
        return EpisodePlan({"explore": bound}, stop_when_certified=True)

    def play(
        self, running: RunningEstimate, plans: Sequence[EpisodePlan], goal: Goal, rng: np.random.Generator
    ) -> Iterator[PolicyMixture]:
        """Greedy play for the certificate's recursion."""

        def action_values(running: RunningEstimate) -> np.ndarray:
            return uncapped_values(running.counts, lambda visits: certificate_bonus(visits, goal), 1.0)

        return doubling_run(running, plans, goal, rng, action_values)
