"""Counts and reward sums that grow batch by batch, and the exploration they amount to at any moment."""

from collections.abc import Mapping

import numpy as np

from stackel_bench.families.bandit_rl.exploration.certificate import certified_error
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

    def add(self, played: Tally, episodes: int) -> None:
        """Take in further episodes."""
        self.tally.add(played)
        self.episodes += episodes

    def reward_sums(self) -> tuple[np.ndarray, np.ndarray]:
        """Sums of leader and follower rewards [H,S,B] over all visits so far."""
        self.simulator.draw_rewards(self.tally, self._reward_rng)
        return self.tally.leader_sums, self.tally.follower_sums

    def model(self) -> FollowerMDP:
        """The follower MDP estimated from all episodes so far."""
        return estimated_model(
            self.tally.counts,
            *self.reward_sums(),
            initial_state=self.simulator.initial_state,
            unvisited_reward=self._unvisited_reward,
        )

    def certificate(self, goal: Goal) -> float:
        """The bound on the uniform value error that the counts so far certify."""
        return certified_error(self.tally.counts, self.simulator.initial_state, goal)

    def snapshot(self, episodes: Mapping[str, int], mixture: PolicyMixture | None, goal: Goal) -> Exploration:
        """The exploration so far, independent of what follows; episodes are those played, by phase."""
        return Exploration(self.model(), self.tally.visits(), episodes, self.certificate(goal), mixture)


def estimated_model(
    counts: np.ndarray,
    leader_sums: np.ndarray,
    follower_sums: np.ndarray,
    *,
    initial_state: int,
    unvisited_reward: float,
) -> FollowerMDP:
    """Empirical means of transitions (counts [H,S,B,S]) and of both rewards (sums [H,S,B]).

    Unvisited triples: uniform transitions, which keeps the flow constraints of planning valid and does not
    touch the proof, and unvisited_reward for both players (1/2 minimises the worst-case error).
    """
    states = counts.shape[1]
    visits = counts.sum(axis=3)
    seen = visits > 0
    at_least_one = np.maximum(visits, 1)
    transitions = np.where(seen[..., None], counts / at_least_one[..., None], 1 / states)
    # Division rounds each entry; normalising keeps long rows within the tolerance of FollowerMDP.
    transitions /= transitions.sum(axis=3, keepdims=True)
    leader, follower = (
        np.where(seen, sums / at_least_one, unvisited_reward) for sums in (leader_sums, follower_sums)
    )
    return FollowerMDP(transitions, leader, follower, initial_state)
