"""The learner `certified` of bandit-RL games: plays what its proof rests on, and stops once it is there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from stackel_bench import checks, streams
from stackel_bench.families.bandit_rl.exploration.explorer import goal_of
from stackel_bench.families.bandit_rl.game import EpisodeSampler
from stackel_bench.families.bandit_rl.stopping.action_run import ActionReport, ActionRun
from stackel_bench.families.bandit_rl.theory import paper_total
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.certified.learner import (
    StoppingLearner,
    explore_in_rounds,
    goes_on,
    stopping_schedule,
    told,
)
from stackel_bench.learners.certified.rows import RowStanding, standing_of
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Schedule, StreamKey
from stackel_bench.models import TieBreaking

FIRST_EPISODES = 12  # of each leader action, played uniformly
GROWTH = 0.15  # a leader action that is played again gets this share of its episodes


@dataclass(frozen=True)
class CertifiedLearner(StoppingLearner):
    """Plays the policies that the bounds of the best leader action and of its challenger rest on.

    It takes rounds. The schedule's detail is the only decision that is to be proven, if there is one.
    """

    version: ClassVar[int] = 2

    def schedule(self, sampler: EpisodeSampler, budget: Budget) -> Schedule:
        """The samples named are the most that can be used."""
        horizon, states, responses = sampler.shape
        actions = sampler.num_leader_actions
        paper = actions * paper_total(sampler.shape, goal_of(sampler, budget)).total
        seconds = 0.2 + 1e-3 * actions * horizon * states**2 * responses
        return stopping_schedule(budget, paper, FIRST_EPISODES * actions, actions, seconds)

    def explore(
        self, sampler: EpisodeSampler, schedule: Schedule, unit: int, key: StreamKey
    ) -> dict[TieBreaking, Decision]:
        """All rounds, one leader action after the other."""
        return {
            tie: self.end(explore_in_rounds(self, sampler, schedule, key, tie), tie) for tie in TieBreaking
        }

    def prove(
        self, sampler: EpisodeSampler, schedule: Schedule, decision: Decision, key: StreamKey
    ) -> tuple[RowStanding, int]:
        """Where this decision stands, and after how many episodes."""
        policy = checks.array("result.follower_response", decision.follower_response, shape=sampler.shape)
        checks.distributions("result.follower_response", policy)
        asked = replace(schedule, detail=replace(decision, follower_response=policy))
        runs = explore_in_rounds(self, sampler, asked, key, decision.tie_breaking)
        standing = _standing([run.report for run in runs], schedule.budget.epsilon, decision.leader_action)
        return standing, sum(run.episodes for run in runs)

    def orders(
        self, sampler: EpisodeSampler, schedule: Schedule, reports: Sequence[ActionReport], tie: TieBreaking
    ) -> dict[int, int]:
        """Episodes of each policy in the leader actions that decide, by their reports; nothing at the end."""
        cap, budget = schedule.samples[0], schedule.budget
        if not reports:
            actions = sampler.num_leader_actions
            return dict.fromkeys(range(actions), min(FIRST_EPISODES, cap // actions))
        about = None if schedule.detail is None else schedule.detail.leader_action
        standing = _standing(reports, budget.epsilon, about)
        orders = {} if standing.proven else _allocation(reports, standing, about is not None)
        cost = sum(episodes * reports[action].policies for action, episodes in orders.items())
        total = cost + sum(report.episodes for report in reports)
        return orders if goes_on(standing, total, budget, cap) else {}

    def explore_part(
        self,
        sampler: EpisodeSampler,
        schedule: Schedule,
        part: int,
        key: StreamKey,
        tie: TieBreaking,
        order: int,
        run: ActionRun | None,
    ) -> ActionRun:
        """One leader action's run after another round."""
        if run is None:
            run = ActionRun.begin(sampler.shape, schedule.budget.epsilon, tie)
            if schedule.detail is not None and schedule.detail.leader_action == part:
                run.bounds.asked = schedule.detail.follower_response
        rng = streams.generator(*key, "certified", str(tie), part, run.rounds)
        run.play(sampler, schedule.budget, part, order, rng)
        return run

    def end(self, runs: Sequence[ActionRun], tie: TieBreaking) -> Decision:
        """The proven commitment, or the one that point estimates favour."""
        bounds = [run.bounds for run in runs]
        standing = _standing([run.report for run in runs], bounds[0].epsilon)
        action = standing.winner if standing.proven else int(np.argmax([each.estimate for each in bounds]))
        response = bounds[action].response if standing.proven else bounds[action].likely
        assert response is not None
        value = "phi" if tie is TieBreaking.PESSIMISTIC else "psi"
        actions = {
            "samples": np.array([run.episodes for run in runs]),
            f"estimated_{value}": np.array([each.estimate for each in bounds]),
        }
        samples = int(actions["samples"].sum())
        decision = Decision(tie, action, None, response, bounds[action].estimate, samples, actions=actions)
        return told(decision, standing, max(run.rounds for run in runs))


def _standing(reports: Sequence[ActionReport], epsilon: float, about: int | None = None) -> RowStanding:
    win, challenge, answered = (
        np.array([getattr(report, name) for report in reports]) for name in ("win", "challenge", "answered")
    )
    return standing_of(win, challenge, answered, epsilon, about)


def _allocation(reports: Sequence[ActionReport], standing: RowStanding, asked: bool) -> dict[int, int]:
    """More episodes of the leader actions that decide, in equal shares for what their bounds rest on.

    These are the best one by point estimates (lower bounds are trivial at first, and following them one
    would grow for nothing) and its challenger, the other one with the largest upper bound; once the leader's
    line is settled, the winner. One with more than twice the other's episodes waits.
    """
    wanted = {standing.winner}
    if not standing.settled:
        estimates = [report.estimate for report in reports]
        best = standing.winner if asked else int(np.argmax(estimates))
        others = [report.challenge for report in reports]
        others[best] = -math.inf
        wanted = {best, int(np.argmax(others))}
    fewest = min(reports[action].episodes for action in wanted)
    return {
        action: max(2, int(GROWTH * reports[action].episodes / reports[action].policies))
        for action in sorted(wanted)
        if reports[action].episodes <= 2 * fewest
    }
