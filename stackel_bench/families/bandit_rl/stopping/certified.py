"""The learner `certified` of bandit-RL games: plays what its proof rests on, and stops once it is there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from stackel_bench import checks
from stackel_bench.families.bandit_rl.exploration.budgets import paper_total
from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.game import EpisodeSampler
from stackel_bench.families.bandit_rl.stopping.action_bounds import ActionBounds
from stackel_bench.families.bandit_rl.stopping.model_set import model_set
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.certified.learner import StoppingLearner, stopping_schedule
from stackel_bench.learners.certified.standing import Standing, standing_of
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Schedule
from stackel_bench.models import TieBreaking

FIRST_EPISODES = 12  # of each leader action, played uniformly
GROWTH = 0.15  # a leader action that is played again gets this share of its episodes
UNVISITED = 0.5  # what the estimate takes triples to pay that were never visited

Plays = dict[int, list[tuple[np.ndarray, int]]]  # by leader action: policies and episodes


@dataclass(frozen=True)
class CertifiedLearner(StoppingLearner):
    """Plays the policies that the bounds of the best leader action and of its challenger rest on."""

    version: ClassVar[int] = 1

    def schedule(self, sampler: EpisodeSampler, budget: Budget) -> Schedule:
        """The samples named are the most that can be used."""
        horizon, states, responses = sampler.shape
        actions = sampler.num_leader_actions
        paper = actions * paper_total(sampler.shape, _goal(sampler, budget)).total
        seconds = 0.2 + 1e-3 * actions * horizon * states**2 * responses
        return stopping_schedule(budget, paper, FIRST_EPISODES * actions, actions, seconds)

    def model(
        self, sampler: EpisodeSampler, schedule: Schedule, tie_breaking: TieBreaking, rng: np.random.Generator
    ) -> _Episodes:
        """Every leader action is played in a few times first."""
        return _Episodes(sampler, schedule.budget, tie_breaking, schedule.samples[0], rng)


def _goal(sampler: EpisodeSampler, budget: Budget) -> Goal:
    return Goal(budget.epsilon, budget.delta, sampler.num_leader_actions)


class _Episodes:
    """The confidence model of a game whose leader actions are played in."""

    def __init__(
        self, sampler: EpisodeSampler, budget: Budget, tie: TieBreaking, cap: int, rng: np.random.Generator
    ) -> None:
        actions = sampler.num_leader_actions
        self._epsilon, self._tie = budget.epsilon, tie
        self._goal = _goal(sampler, budget)
        self._scale = budget.scale if budget.kind == "scaled" else 1.0
        self._seen = [RunningEstimate(sampler.simulator(a), UNVISITED, rng) for a in range(actions)]
        self._bounds = [ActionBounds(budget.epsilon, tie) for _ in range(actions)]
        self.about: Decision | None = None
        uniform = np.full(sampler.shape, 1 / sampler.shape[2])
        first = min(FIRST_EPISODES, cap // actions)
        self.sample({a: [(uniform, first)] for a in range(actions)}, rng)

    @property
    def samples(self) -> int:
        return sum(seen.episodes for seen in self._seen)

    def standing(self) -> Standing:
        asked = None if self.about is None else self.about.leader_action
        if asked is not None:
            self._bounds[asked].asked = self._policy(self.about)
        for action in self._played:
            self._bounds[action].tighten(model_set(self._seen[action], self._goal, self._scale))
        win, challenge = (
            np.array([getattr(bounds, name) for bounds in self._bounds]) for name in ("win", "challenge")
        )
        answered = np.array([bounds.response is not None for bounds in self._bounds])
        return standing_of(win, challenge, answered, self._epsilon, asked)

    def allocation(self, standing: Standing) -> tuple[int, Plays]:
        """More episodes of the leader actions that decide, in equal shares for what their bounds rest on.

        These are the best one by point estimates (lower bounds are trivial at first, and following them one
        would grow for nothing) and its challenger, the other one with the largest upper bound; once the
        leader's line is settled, the winner. One with more than twice the other's episodes waits.
        """
        wanted = [standing.winner] if standing.settled else self._deciding(standing)
        fewest = min(self._seen[action].episodes for action in wanted)
        plays: Plays = {}
        for action in wanted:
            episodes, policies = self._seen[action].episodes, self._bounds[action].plays
            if episodes <= 2 * fewest:
                share = max(2, int(GROWTH * episodes / len(policies)))
                plays[action] = [(policy, share) for policy in policies]
        return sum(episodes for played in plays.values() for _, episodes in played), plays

    def _deciding(self, standing: Standing) -> list[int]:
        best = standing.winner if standing.asked else self._best()
        others = [bounds.challenge for bounds in self._bounds]
        others[best] = -math.inf
        return sorted({best, int(np.argmax(others))})

    def sample(self, allocation: Plays, rng: np.random.Generator) -> None:
        for action, plays in allocation.items():
            seen = self._seen[action]
            for policy, episodes in plays:
                seen.add(seen.simulator.play(policy, episodes, rng), episodes)
        self._played = list(allocation)

    def decision(self, standing: Standing) -> Decision:
        action = standing.winner if standing.proven else self._best()
        bounds = self._bounds[action]
        response = bounds.response if standing.proven else bounds.likely
        assert response is not None
        value = "phi" if self._tie is TieBreaking.PESSIMISTIC else "psi"
        return Decision(
            self._tie,
            action,
            None,
            response,
            bounds.estimate,
            self.samples,
            actions={
                "samples": np.array([seen.episodes for seen in self._seen]),
                f"estimated_{value}": np.array([bounds.estimate for bounds in self._bounds]),
            },
        )

    def _policy(self, decision: Any) -> np.ndarray:
        shape = self._seen[0].simulator.shape
        policy = checks.array("result.follower_response", decision.follower_response, shape=shape)
        checks.distributions("result.follower_response", policy)
        return policy

    def _best(self) -> int:
        return int(np.argmax([bounds.estimate for bounds in self._bounds]))
