"""Reward-Free RL-Explore (Jin et al. 2020): learn to reach every state, then gather data that way."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.families.bandit_rl.exploration.euler import EulerSettings, euler_run
from stackel_bench.families.bandit_rl.exploration.explorer import (
    EpisodePlan,
    Exploration,
    Goal,
    Shape,
    reject_shrinking,
)
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.theory import proof_budget, theorem_budget
from stackel_bench.learners.learner import StreamKey
from stackel_bench.options import option
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.simulation.tally import EpisodeSource
from stackel_bench.streams import generator


@dataclass(frozen=True)
class RewardFreeExplore:
    """The paper's explorer, with EULER as the inner learner.

    Phase "explore" plays N0 episodes for each of S*H targets (layer, state), phase "gather" draws one of all
    policies played, uniformly with multiplicity, per episode. Only gathered episodes enter the estimate, as
    the proof needs. From the target's layer on every policy acts uniformly at all states; Jin et al. ask for
    it at the target only and leave the rest open. Targets of the first layer therefore need no learning.
    """

    value_range: str = option("one", "range of EULER's return: one (it is at most 1), or horizon as printed")
    replanning: str = option(
        "batched_doubling",
        "when visit counts are looked at for doublings: batched_doubling on a grid (three times faster), "
        "exact_doubling at every episode",
    )
    unvisited_reward: float = option(0.5, "what triples that were never visited are taken to pay")
    explore_fraction: float = option(0.5, "share of a fixed budget that is explored with")
    constants: str = option("theorem", "constants of the theory budget: theorem or proof")
    c_explore: float = option(1.0, "factor on the theory budget of exploring")
    c_data: float = option(1.0, "factor on the theory budget of gathering")

    name = "reward_free_explore"
    proved = True
    nested = False  # N0 enters EULER's bonus, so every budget needs a run of its own

    def __post_init__(self) -> None:
        checks.choice("value_range", self.value_range, ("one", "horizon"))
        checks.choice("replanning", self.replanning, ("batched_doubling", "exact_doubling"))
        checks.choice("constants", self.constants, ("theorem", "proof"))
        checks.real("unvisited_reward", self.unvisited_reward, least=0, most=1)
        checks.real("explore_fraction", self.explore_fraction, least=0, most=1, open_most=True)
        checks.real("c_explore", self.c_explore, least=0, open_least=True)
        checks.real("c_data", self.c_data, least=0, open_least=True)

    def theory_plan(self, shape: Shape, goal: Goal) -> EpisodePlan:
        """S*H*N0 episodes to explore and N to gather."""
        budget_of = theorem_budget if self.constants == "theorem" else proof_budget
        return budget_of(shape, goal, c_explore=self.c_explore, c_data=self.c_data)

    def seconds_of(self, shape: Shape, plan: EpisodePlan) -> float:
        """EULER replans for every state at every layer, and more in long runs (within a factor of 2)."""
        horizon, states, actions = shape
        planning = states * horizon**2 * math.sqrt(actions) * math.log1p(plan.phases["explore"])
        return 2e-3 + 1.2e-5 * planning * (1 + 1.1e-4 * horizon * states**2 * actions)

    def fixed_plan(self, shape: Shape, episodes: int) -> EpisodePlan:
        """explore_fraction of the episodes, rounded down, to explore; the others gather."""
        total = checks.integer("episodes", episodes, least=1, most=checks.MAX_EXACT_COUNT)
        explore = min(int(total * self.explore_fraction), total - 1)
        return EpisodePlan({"explore": explore, "gather": total - explore})

    def explore(
        self, simulator: EpisodeSource, plans: Sequence[EpisodePlan], goal: Goal, key: StreamKey
    ) -> list[Exploration]:
        """One exploration per plan, each from a run of its own with stream key + ("rung", index).

        A budget is fixed before its run starts: N0 enters the bonus, and data are gathered last.
        """
        reject_shrinking(plans)
        return [self.explore_rung(simulator, plan, goal, key, rung) for rung, plan in enumerate(plans)]

    def explore_rung(
        self, simulator: EpisodeSource, plan: EpisodePlan, goal: Goal, key: StreamKey, rung: int
    ) -> Exploration:
        """The estimate from plan.phases["gather"] episodes of the mixture found in phase "explore"."""
        key = (*key, "rung", rung)
        running = RunningEstimate(simulator, self.unvisited_reward, generator(*key, "rewards"))
        mixture = self._learn_to_reach(simulator, plan.phases["explore"], goal, key)
        gather = plan.phases["gather"]
        running.add(simulator.play_mixture(mixture, gather, generator(*key, "gather")), gather)
        return running.snapshot(dict(plan.phases), mixture, goal)

    def _learn_to_reach(
        self, simulator: EpisodeSource, explore: int, goal: Goal, key: StreamKey
    ) -> PolicyMixture:
        """All policies played on the way to all targets; totals that S*H does not divide are spread."""
        horizon, states, _ = simulator.shape
        targets = horizon * states
        failure = goal.delta / (3 * goal.num_leader_actions * states * horizon)
        value_range = float(horizon) if self.value_range == "horizon" else 1.0
        played: list[tuple[np.ndarray, int, int]] = []
        for target, (layer, state) in enumerate(np.ndindex(horizon, states)):
            episodes = (target + 1) * explore // targets - target * explore // targets
            if not episodes:
                continue
            if layer == 0:
                played.append((np.zeros((0, states)), 0, episodes))
                continue
            settings = EulerSettings(episodes, failure, value_range, self.replanning == "exact_doubling")
            run, _ = euler_run(simulator, layer, state, settings, generator(*key, "explore", layer, state))
            played.extend((policy, layer, count) for policy, count in run)
        return PolicyMixture.collect(simulator.shape, played)
