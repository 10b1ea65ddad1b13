"""Counts and reward sums that grow batch by batch, and the exploration they amount to at any moment."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stackel_bench.families.bandit_rl.exploration.certificate import certified_error
from stackel_bench.families.bandit_rl.exploration.estimate import estimated_model
from stackel_bench.families.bandit_rl.exploration.explorer import Exploration, Goal
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.simulation.policy_mixture import PolicyMixture


class RunningEstimate:
    """Everything one run has seen so far.

    Rewards are drawn when they are first asked for, from the visits that have none yet: given the visits they
    are independent of everything else, so the moment does not matter.
    """

    def __init__(
        self, simulator: EpisodeSimulator, unvisited_reward: float, reward_rng: np.random.Generator
    ) -> None:
        horizon, states, actions = simulator.shape
        self.simulator = simulator
        self.episodes = 0
        self.counts = np.zeros((horizon, states, actions, states), dtype=np.int64)
        self._unvisited_reward = unvisited_reward
        self._reward_rng = reward_rng
        self._rewarded = np.zeros(simulator.shape, dtype=np.int64)
        self._sums = (np.zeros(simulator.shape), np.zeros(simulator.shape))

    def add(self, counts: np.ndarray, episodes: int) -> None:
        """Take in the transition counts [H,S,B,S] of further episodes."""
        self.counts += counts
        self.episodes += episodes

    def visits(self) -> np.ndarray:
        """Visits int64 [H,S,B] so far."""
        return np.asarray(self.counts.sum(axis=3))

    def reward_sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Sums of leader and follower rewards [H,S,B] over all visits so far."""
        visits = self.visits()
        fresh = self.simulator.reward_sums(visits - self._rewarded, self._reward_rng)
        self._sums = (self._sums[0] + fresh[0], self._sums[1] + fresh[1])
        self._rewarded = visits
        return self._sums

    def certificate(self, goal: Goal) -> float:
        """The bound on the uniform value error that the counts so far certify."""
        return certified_error(self.counts, self.simulator.initial_state, goal)

    def snapshot(self, episodes: Mapping[str, int], mixture: PolicyMixture | None, goal: Goal) -> Exploration:
        """The exploration so far, independent of what follows; episodes are those played, by phase."""
        model = estimated_model(
            self.counts,
            *self.reward_sums(),
            initial_state=self.simulator.initial_state,
            unvisited_reward=self._unvisited_reward,
        )
        policies = 0 if mixture is None else len(mixture)
        return Exploration(model, self.visits(), episodes, policies, self.certificate(goal), mixture)
