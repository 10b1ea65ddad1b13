"""Counts and reward sums that grow batch by batch, and the exploration they amount to at any moment."""

from __future__ import annotations

import numpy as np

from stackel_bench.exploration.certificate import certified_error
from stackel_bench.exploration.estimate import estimated_model
from stackel_bench.exploration.explorer import Exploration
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
        self.episodes = 0
        self.counts = np.zeros((horizon, states, actions, states), dtype=np.int64)
        self._simulator = simulator
        self._unvisited_reward = unvisited_reward
        self._reward_rng = reward_rng
        self._rewarded = np.zeros(simulator.shape, dtype=np.int64)
        self._sums = (np.zeros(simulator.shape), np.zeros(simulator.shape))

    def add(self, counts: np.ndarray, episodes: int) -> None:
        """Take in the transition counts [H,S,B,S] of further episodes."""
        self.counts += counts
        self.episodes += episodes

    def reward_sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Sums of leader and follower rewards [H,S,B] over all visits so far."""
        visits = self.counts.sum(axis=3)
        fresh = self._simulator.reward_sums(visits - self._rewarded, self._reward_rng)
        self._sums = (self._sums[0] + fresh[0], self._sums[1] + fresh[1])
        self._rewarded = visits
        return self._sums

    def certificate(self, delta: float, num_leader_actions: int) -> float:
        """The bound on the uniform value error that the counts so far certify."""
        start = self._simulator.initial_state
        return certified_error(self.counts, start, delta=delta, num_leader_actions=num_leader_actions)

    def snapshot(self, mixture: PolicyMixture | None, delta: float, num_leader_actions: int) -> Exploration:
        """The exploration so far, independent of what follows."""
        model = estimated_model(
            self.counts,
            *self.reward_sums(),
            initial_state=self._simulator.initial_state,
            unvisited_reward=self._unvisited_reward,
        )
        return Exploration(
            model,
            self.counts.sum(axis=3),
            {"explore": self.episodes},
            0 if mixture is None else len(mixture),
            self.certificate(delta, num_leader_actions),
            mixture,
        )
