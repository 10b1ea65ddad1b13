"""One leader action's run: what was played in it so far, and what that proves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stackel_bench.families.bandit_rl.exploration.explorer import Shape, goal_of
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.game import EpisodeSampler
from stackel_bench.families.bandit_rl.stopping.action_bounds import ActionBounds
from stackel_bench.families.bandit_rl.stopping.model_set import model_set
from stackel_bench.learners.budget import Budget
from stackel_bench.models import TieBreaking
from stackel_bench.simulation.tally import Tally

UNVISITED = 0.5  # what the estimate takes triples to pay that were never visited


class ActionReport(NamedTuple):
    """What the other leader actions' next round depends on."""

    win: float  # phi_{eps/2} or psi_eps is at least this
    challenge: float  # phi_eps or psi_0 is at most this
    answered: bool
    estimate: float
    episodes: int
    policies: int  # that the next round shall play


@dataclass
class ActionRun:
    """Grows round by round, and travels between the tasks that explore it."""

    tally: Tally
    bounds: ActionBounds
    episodes: int = 0
    rounds: int = 0

    @classmethod
    def begin(cls, shape: Shape, epsilon: float, tie: TieBreaking) -> ActionRun:
        """Nothing is known; the first round plays uniformly."""
        uniform = np.full(shape, 1 / shape[2])
        return cls(Tally.empty(shape), ActionBounds(epsilon, tie, plays=[uniform]))

    @property
    def report(self) -> ActionReport:
        """What is known of it."""
        known, answered = self.bounds, self.bounds.response is not None
        policies = len(known.plays)
        return ActionReport(known.win, known.challenge, answered, known.estimate, self.episodes, policies)

    def play(
        self, sampler: EpisodeSampler, budget: Budget, action: int, episodes: int, rng: np.random.Generator
    ) -> None:
        """Episodes of each policy that the bounds rest on, and a look at what they prove."""
        seen = RunningEstimate(sampler.simulator(action), UNVISITED, rng)
        seen.add(self.tally, self.episodes)
        for policy in self.bounds.plays:
            seen.add(seen.simulator.play(policy, episodes, rng), episodes)
        scale = budget.scale if budget.kind == "scaled" else 1.0
        self.bounds.tighten(model_set(seen, goal_of(sampler, budget), scale))
        self.tally, self.episodes, self.rounds = seen.tally, seen.episodes, self.rounds + 1
