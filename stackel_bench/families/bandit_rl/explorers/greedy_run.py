"""Explorers that play greedily for some action values and replan when visit counts double."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench.families.bandit_rl.exploration.euler import FINEST_BATCH
from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Goal
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.explorers.single_run import SingleRun
from stackel_bench.simulation.policy_mixture import ACTION_TYPE, PolicyMixture

LONGEST_RUN = 1 / 8  # a policy is replanned at the latest when the episodes have grown by this share


@dataclass(frozen=True)
class GreedyRun(SingleRun):
    """An anytime run that is greedy for `action_values`, ties broken at random.

    The policy is replanned when a visit count of it has doubled, looked for after e, 2e, 4e, ... of its
    episodes with e = max(1, t/1024), t episodes having been played before; also when t has grown by an
    eighth, and at every plan. With plan.stop_when_certified the run ends at the first replan where the
    certificate is at most epsilon/8.
    """

    replans = True

    @abstractmethod
    def action_values(self, running: RunningEstimate, goal: Goal, most: int) -> np.ndarray:
        """Q [H,S,B], larger is more worth exploring; the run has at most so many episodes."""

    def play(
        self, running: RunningEstimate, plans: Sequence[EpisodePlan], goal: Goal, rng: np.random.Generator
    ) -> Iterator[PolicyMixture]:
        """For each plan the policies played so far."""
        simulator = running.simulator
        horizon = simulator.shape[0]
        played: list[tuple[np.ndarray, int, int]] = []
        for plan in plans:
            while running.episodes < plan.total:
                if plan.stop_when_certified and running.certificate(goal) <= goal.epsilon / 8:
                    break
                policy = _greedy(self.action_values(running, goal, plans[-1].total), rng)
                done = running.episodes
                most = min(plan.total - done, max(1, int(done * LONGEST_RUN)))
                first = max(1, int(done * FINEST_BATCH))
                episodes = simulator.play_until_doubled(
                    policy, running.tally, most, rng, layers=horizon, first_batch=first
                )
                running.episodes += episodes
                played.append((policy, horizon, episodes))
            yield PolicyMixture.collect(simulator.shape, played)


def _greedy(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Greedy actions [H,S] for values [H,S,B]; each state looks for its maximum from a random action on."""
    actions = values.shape[2]
    rotated = (rng.integers(actions, size=values.shape[:2])[..., None] + np.arange(actions)) % actions
    best = np.take_along_axis(values, rotated, axis=2).argmax(axis=2)
    return np.take_along_axis(rotated, best[..., None], axis=2)[..., 0].astype(ACTION_TYPE)
