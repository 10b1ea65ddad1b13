"""All follower MDPs that one leader action's episodes leave possible, at every time at once.

Transitions of each (h,s,b) before the last step lie in a Kullback-Leibler ball and mean rewards of both
players in intervals (both statistics.likelihood_mixture). A leader action has a share delta/A:
half of it for the (H-1)SB laws, half for the 2HSB means; all of it for the means where there is no law to
learn (H = 1 or S = 1). How the episodes were chosen does not matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stackel_bench.families.bandit_rl.exploration.explorer import Goal, Shape
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.models import FollowerMDP
from stackel_bench.planning.kl_ball import TransitionBalls, best_policy, policy_value
from stackel_bench.statistics.likelihood_mixture import law_radii, mean_offsets


@dataclass(frozen=True, eq=False)
class Interval:
    """Mean rewards [H,S,B] are at least low and at most high."""

    low: np.ndarray
    high: np.ndarray

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)


@dataclass(frozen=True, eq=False)
class ModelSet:
    """Transitions in balls, rewards in intervals, none of which constrains another; and the estimate."""

    balls: TransitionBalls
    leader: Interval
    follower: Interval
    estimate: FollowerMDP

    def best(self, rewards: np.ndarray) -> tuple[float, np.ndarray]:
        """At least the largest value of any policy in any model; and the actions [H,S] that attain it."""
        values, actions = best_policy(self.balls, rewards, 1.0)
        return float(values[self.estimate.initial_state]), actions

    def robust(self, rewards: np.ndarray) -> tuple[float, np.ndarray]:
        """At most the largest value of any policy in its worst model; and that policy's actions [H,S]."""
        values, actions = best_policy(self.balls, rewards, -1.0)
        return float(values[self.estimate.initial_state]), actions

    def highest(self, rewards: np.ndarray, policy: np.ndarray) -> float:
        """At least the value of the policy [H,S,B] in every model."""
        return float(policy_value(self.balls, rewards, policy, 1.0)[self.estimate.initial_state])

    def lowest(self, rewards: np.ndarray, policy: np.ndarray) -> float:
        """At most the value of the policy [H,S,B] in every model."""
        return float(policy_value(self.balls, rewards, policy, -1.0)[self.estimate.initial_state])

    def policy(self, actions: np.ndarray) -> np.ndarray:
        """The policy [H,S,B] that plays actions [H,S]."""
        return np.asarray(np.eye(self.estimate.shape[2])[actions])


def levels(shape: Shape, goal: Goal) -> tuple[float, float]:
    """ln(1/a) of one law and of one mean reward."""
    horizon, states, actions = shape
    laws = (horizon - 1) * states * actions if states > 1 else 0
    means = 2 * horizon * states * actions
    share = goal.delta / goal.num_leader_actions / (2 if laws else 1)
    return math.log(max(1, laws) / share), math.log(means / share)


def model_set(seen: RunningEstimate, goal: Goal, scale: float = 1.0) -> ModelSet:
    """What the episodes so far leave possible; a scale below 1 shrinks it, and gives the guarantee away."""
    law_level, mean_level = levels(seen.simulator.shape, goal)
    visits = seen.tally.visits()
    estimate = seen.model()
    balls = TransitionBalls(np.array(estimate.transitions), scale * law_radii(seen.tally.counts, law_level))
    leader, follower = (_interval(sums, visits, mean_level, math.sqrt(scale)) for sums in seen.reward_sums())
    return ModelSet(balls, leader, follower, estimate)


def _interval(sums: np.ndarray, visits: np.ndarray, level: float, shrink: float) -> Interval:
    seen, pulls = visits > 0, np.maximum(visits, 1).astype(float)
    flat = (-1, visits.shape[2])
    offsets = mean_offsets(sums.reshape(flat), pulls.reshape(flat), level)
    below, above = (shrink * offset.reshape(visits.shape) for offset in offsets)
    low, high = np.maximum(sums / pulls - below, 0.0), np.minimum(sums / pulls + above, 1.0)
    return Interval(np.where(seen, low, 0.0), np.where(seen, high, 1.0))
