"""Explorers with one phase: a run of a sampling rule, perhaps greedy, cut at growing budgets."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stackel_bench import checks
from stackel_bench.families.bandit_rl.exploration.euler import FINEST_BATCH
from stackel_bench.families.bandit_rl.exploration.explorer import (
    EpisodePlan,
    Exploration,
    Goal,
    Shape,
    reject_shrinking,
)
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.theory import paper_total
from stackel_bench.learners.learner import StreamKey
from stackel_bench.options import option
from stackel_bench.simulation.policy_mixture import ACTION_TYPE, PolicyMixture
from stackel_bench.simulation.tally import EpisodeSource
from stackel_bench.streams import generator

LONGEST_RUN = 1 / 8  # a policy is replanned at the latest when the episodes have grown by this share


@dataclass(frozen=True)
class SingleRun(ABC):
    """Follows its sampling rule; an exploration is a snapshot of the run, so explorations share their data.

    A rule is a subclass with `name` and `play`; without a theorem of its own it gets the paper's
    total.
    """

    unvisited_reward: float = option(0.5, "what triples that were never visited are taken to pay")

    name: ClassVar[str]
    replans: ClassVar[bool] = False  # whether it plans anew on the way, which takes most of the time
    proved: ClassVar[bool] = False
    nested: ClassVar[bool] = True
    needs_simulation: ClassVar[bool] = False  # whether it asks for more than episodes from their start

    def __post_init__(self) -> None:
        checks.real("unvisited_reward", self.unvisited_reward, least=0, most=1)

    @abstractmethod
    def play(
        self, running: RunningEstimate, plans: Sequence[EpisodePlan], goal: Goal, rng: np.random.Generator
    ) -> Iterator[PolicyMixture | None]:
        """For each plan, after its episodes were added to running: the policies that all so far followed.

        None if triples were queried directly.
        """

    def theory_plan(self, shape: Shape, goal: Goal) -> EpisodePlan:
        """What the rule's theorem asks for, or the paper's total."""
        return paper_total(shape, goal)

    def seconds_of(self, shape: Shape, plan: EpisodePlan) -> float:
        """Rules that replan do so a number of times for every doubling of the episodes (fitted by eye)."""
        horizon, states, actions = shape
        size = horizon * states**2 * actions
        replanning = (1.2e-3 + 1.2e-4 * math.sqrt(size)) * math.log2(plan.total + 1)
        return 2e-3 + 2e-7 * size + (replanning if self.replans else 0.0)

    def fixed_plan(self, shape: Shape, episodes: int) -> EpisodePlan:
        """One phase."""
        total = checks.integer("episodes", episodes, least=1, most=checks.MAX_EXACT_COUNT)
        return EpisodePlan({"explore": total})

    def explore(
        self, simulator: EpisodeSource, plans: Sequence[EpisodePlan], goal: Goal, key: StreamKey
    ) -> list[Exploration]:
        """One exploration per plan, all cut from the same run."""
        reject_shrinking(plans)
        running = RunningEstimate(simulator, self.unvisited_reward, generator(*key, "rewards"))
        return [
            running.snapshot({"explore": running.episodes}, mixture, goal)
            for mixture in self.play(running, plans, goal, generator(*key, "explore"))
        ]


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
