"""The policies of one anytime run that replans when visit counts double."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from stackel_bench.families.bandit_rl.exploration.euler import FINEST_BATCH
from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Goal
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.simulation.policy_mixture import ACTION_TYPE, PolicyMixture

LONGEST_RUN = 1 / 8  # a policy is replanned at the latest when the episodes have grown by this share

ActionValues = Callable[[RunningEstimate], np.ndarray]  # Q [H,S,B], larger is more worth exploring


def doubling_run(
    running: RunningEstimate,
    plans: Sequence[EpisodePlan],
    goal: Goal,
    rng: np.random.Generator,
    action_values: ActionValues,
) -> Iterator[PolicyMixture]:
    """For each plan the policies played so far, in a run that is greedy for action_values.

    Ties are broken at random. The policy is replanned when a visit count of it has doubled, looked for after
    e, 2e, 4e, ... of its episodes with e = max(1, t/1024), t episodes having been played before; also when t
    has grown by an eighth, and at every plan. With plan.stop_when_certified the run ends at the first replan
    where the certificate is at most epsilon/8.
    """
    simulator = running.simulator
    horizon = simulator.shape[0]
    played: list[tuple[np.ndarray, int, int]] = []
    for plan in plans:
        while running.episodes < plan.total:
            if plan.stop_when_certified and running.certificate(goal) <= goal.epsilon / 8:
                break
            policy = _greedy(action_values(running), rng)
            done = running.episodes
            episodes = simulator.play_until_doubled(
                policy,
                running.counts,
                min(plan.total - done, max(1, int(done * LONGEST_RUN))),
                rng,
                layers=horizon,
                first_batch=max(1, int(done * FINEST_BATCH)),
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
