"""Counts and reward sums that grow batch by batch, and the exploration they amount to at any moment."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stackel_bench.families.bandit_rl.exploration.certificate import certified_error
from stackel_bench.families.bandit_rl.exploration.estimate import estimated_model
from stackel_bench.families.bandit_rl.exploration.explorer import Exploration, Goal
from stackel_bench.models import FollowerMDP
from stackel_bench.simulation.policy_mixture import PolicyMixture
from stackel_bench.simulation.tally import EpisodeSource, Tally


class RunningEstimate:
    """Everything one run has seen so far; rewards are asked for when they are needed."""

    def __init__(
        self, simulator: EpisodeSource, unvisited_reward: float, reward_rng: np.random.Generator
    ) -> None:
        self.simulator = simulator
        self.episodes = 0
        self.tally = Tally.empty(simulator.shape)
        self._unvisited_reward = unvisited_reward
        self._reward_rng = reward_rng

    @property
    def counts(self) -> np.ndarray:
        """Transition counts int64 [H,S,B,S] so far."""
        return self.tally.counts

    def add(self, played: Tally, episodes: int) -> None:
        """Take in further episodes."""
        self.tally.add(played)
        self.episodes += episodes

    def visits(self) -> np.ndarray:
        """Visits int64 [H,S,B] so far."""
        return self.tally.visits()

    def reward_sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Sums of leader and follower rewards [H,S,B] over all visits so far."""
        self.simulator.draw_rewards(self.tally, self._reward_rng)
        return self.tally.leader_sums, self.tally.follower_sums

    def model(self) -> FollowerMDP:
        """The follower MDP estimated from all episodes so far."""
        return estimated_model(
            self.counts,
            *self.reward_sums(),
            initial_state=self.simulator.initial_state,
            unvisited_reward=self._unvisited_reward,
        )

    def certificate(self, goal: Goal) -> float:
        """The bound on the uniform value error that the counts so far certify."""
        return certified_error(self.counts, self.simulator.initial_state, goal)

    def snapshot(self, episodes: Mapping[str, int], mixture: PolicyMixture | None, goal: Goal) -> Exploration:
        """The exploration so far, independent of what follows; episodes are those played, by phase."""
        policies = 0 if mixture is None else len(mixture)
        return Exploration(self.model(), self.visits(), episodes, policies, self.certificate(goal), mixture)
