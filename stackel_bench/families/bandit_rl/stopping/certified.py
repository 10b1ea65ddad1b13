"""The learner `certified` of bandit-RL games: plays what its proof rests on, and stops once it is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.families.bandit_rl.exploration.budgets import paper_total
from stackel_bench.families.bandit_rl.exploration.explorer import Goal
from stackel_bench.families.bandit_rl.exploration.running_estimate import RunningEstimate
from stackel_bench.families.bandit_rl.game import EpisodeSampler
from stackel_bench.families.bandit_rl.stopping.action_bounds import ActionBounds
from stackel_bench.families.bandit_rl.stopping.model_set import model_set
from stackel_bench.families.bandit_rl.theory import rf_ucrl_episodes
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.certified.loop import largest_cap, run_until_certified
from stackel_bench.learners.certified.standing import Standing, standing_of
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.guarantee import PAPER, Guarantee
from stackel_bench.learners.learner import Schedule, StreamKey
from stackel_bench.models import TieBreaking

FIRST_EPISODES = 12  # of each leader action, played uniformly
GROWTH = 0.25  # a leader action that is played again gets this share of its episodes
UNVISITED = 0.5  # what the estimate takes triples to pay that were never visited

Plays = dict[int, list[tuple[np.ndarray, int]]]  # by leader action: policies and episodes


@dataclass(frozen=True)
class CertifiedLearner:
    """Both lines of the theorem with probability 1 - delta, from as few episodes as prove them on this game.

    Runs to its stop on budget=theory and budget=ladder (one rung); budget=fixed is a cap on the episodes;
    budget=scaled shrinks every confidence radius by sqrt(scale), and gives the guarantee away.
    """

    version: ClassVar[int] = 1
    name: ClassVar[str] = "certified"
    guarantee: ClassVar[Guarantee] = PAPER

    def schedule(self, sampler: EpisodeSampler, budget: Budget) -> Schedule:
        """One unit is the whole game; the samples named are the most that can be used."""
        actions, shape = sampler.num_leader_actions, sampler.shape
        goal = Goal(budget.epsilon, budget.delta, actions)
        limit = actions * rf_ucrl_episodes(shape, budget.epsilon, budget.delta, actions)
        most = largest_cap(budget, min(limit, checks.MAX_EXACT_COUNT), actions)
        horizon, states, responses = shape
        return Schedule(
            budget=budget,
            counts=(most // actions,),
            samples=(most,),
            theory_samples=paper_total(shape, goal).total * actions,
            units=1,
            seconds_per_unit=0.2 + 1e-3 * actions * horizon * states**2 * responses,
            shared=False,
        )

    def explore(
        self, sampler: EpisodeSampler, schedule: Schedule, unit: int, key: StreamKey
    ) -> dict[TieBreaking, Decision]:
        """What is decided where the run ends, for each tie-breaking."""
        return {tie: _run(sampler, schedule, tie, key) for tie in TieBreaking}

    def decide(
        self,
        sampler: EpisodeSampler,
        schedule: Schedule,
        findings: Sequence[dict[TieBreaking, Decision]],
        tie_breaking: TieBreaking,
    ) -> list[Decision]:
        """The decision that the run ended with."""
        return [findings[0][tie_breaking]]


def _run(sampler: EpisodeSampler, schedule: Schedule, tie: TieBreaking, key: StreamKey) -> Decision:
    budget, cap = schedule.budget, schedule.samples[0]
    rng = streams.generator(*key, "certified")
    return run_until_certified(_Episodes(sampler, budget, tie, cap, rng), budget, cap, rng)


class _Episodes:
    """The confidence model of a game whose leader actions are played in."""

    def __init__(
        self, sampler: EpisodeSampler, budget: Budget, tie: TieBreaking, cap: int, rng: np.random.Generator
    ) -> None:
        actions = sampler.num_leader_actions
        self._epsilon, self._tie = budget.epsilon, tie
        self._goal = Goal(budget.epsilon, budget.delta, actions)
        self._scale = budget.scale if budget.kind == "scaled" else 1.0
        self._seen = [RunningEstimate(sampler.simulator(a), UNVISITED, rng) for a in range(actions)]
        self._bounds = [ActionBounds(budget.epsilon, tie) for _ in range(actions)]
        uniform = np.full(sampler.shape, 1 / sampler.shape[2])
        first = min(FIRST_EPISODES, cap // actions)
        self.sample({a: [(uniform, first)] for a in range(actions)}, rng)

    @property
    def samples(self) -> int:
        return sum(seen.episodes for seen in self._seen)

    def standing(self) -> Standing:
        for action in self._played:
            self._bounds[action].tighten(model_set(self._seen[action], self._goal, self._scale))
        win, challenge = (
            np.array([getattr(bounds, name) for bounds in self._bounds]) for name in ("win", "challenge")
        )
        answered = np.array([bounds.response is not None for bounds in self._bounds])
        return standing_of(win, challenge, answered, self._epsilon)

    def allocation(self, standing: Standing) -> tuple[int, Plays]:
        """Shares of a quarter more episodes of each open leader action, for the policies its bounds rest on.

        Open: the best one by point estimates (lower bounds are trivial at first) and those that may still be
        better than the best proven one by more than epsilon; once the leader's line is settled, the winner.
        """
        if standing.settled:
            wanted = [standing.winner]
        else:
            limit = max(bounds.win for bounds in self._bounds) + self._epsilon
            best = self._best()
            wanted = [a for a, bounds in enumerate(self._bounds) if a == best or bounds.challenge > limit]
        plays: Plays = {}
        for action in wanted:
            policies = self._bounds[action].plays
            share = max(2, int(GROWTH * self._seen[action].episodes / len(policies)))
            plays[action] = [(policy, share) for policy in policies]
        return sum(episodes for played in plays.values() for _, episodes in played), plays

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
        return Decision(
            self._tie,
            action,
            None,
            response,
            bounds.estimate,
            self.samples,
            actions={"samples": np.array([seen.episodes for seen in self._seen])},
        )

    def _best(self) -> int:
        return int(np.argmax([bounds.estimate for bounds in self._bounds]))
