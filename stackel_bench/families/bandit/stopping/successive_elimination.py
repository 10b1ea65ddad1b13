"""The successive elimination learner for bandit games: the paper's guarantee, pulling only what is open."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.families.bandit.stopping.elimination_rounds import Round, elimination_rounds
from stackel_bench.families.tables.pair_sampling import PairSampler
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.certified.learner import StoppingLearner
from stackel_bench.learners.certified.loop import largest_cap
from stackel_bench.learners.certified.row_bounds import row_bounds
from stackel_bench.learners.certified.standing import Standing, standing_of
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Schedule
from stackel_bench.models import TieBreaking
from stackel_bench.planning.finite.responses import respond


@dataclass(frozen=True)
class SuccessiveEliminationLearner(StoppingLearner):
    """Rounds with errors ..., eps/2, eps/4, eps/8; how many of them are needed is for the game to say.

    Guarantee: both lines of Theorem nested-bandit (or nested-bandit-optimistic) with probability 1 - delta.
    At most 1 + ln(2)/ln(4AB/delta) times the paper's pulls of each pair, rounded up (elimination_rounds has
    the proof), where nothing can be settled early; usually far fewer. After a round the bounds of
    learners.certified.row_bounds hold with boxes of its error. budget=scaled multiplies the pulls of each
    round, and gives the guarantee away.
    """

    version: ClassVar[int] = 2
    name: ClassVar[str] = "successive_elimination"

    def schedule(self, sampler: PairSampler, budget: Budget) -> Schedule:
        """The rounds; the samples named are the most that can be used."""
        pairs = math.prod(sampler.shape)
        arguments = (budget.epsilon, pairs, budget.delta, sampler.sub_gaussian_scale)
        rounds = elimination_rounds(*arguments, budget.scale if budget.kind == "scaled" else 1.0)
        most = largest_cap(budget, rounds[-1].pulls * pairs, pairs)
        if most > checks.MAX_EXACT_COUNT:
            allowed = "at most 2**53 in total; raise budget.epsilon or lower budget.scale"
            raise InputError("samples of the budget", most, allowed)
        return Schedule(
            budget=budget,
            counts=(rounds[-1].pulls,),
            samples=(most,),
            theory_samples=elimination_rounds(*arguments)[-1].pulls * pairs,
            units=1,
            seconds_per_unit=len(rounds) * (2e-4 + 6e-7 * pairs),
            shared=False,
            detail=rounds,
        )

    def model(
        self, sampler: PairSampler, schedule: Schedule, tie_breaking: TieBreaking, rng: np.random.Generator
    ) -> _Rounds:
        """The first round."""
        return _Rounds(sampler, schedule, tie_breaking, rng)


class _Rounds:
    """The confidence model: after a round every active pair is known up to its error.

    Responses leave that are surely not within epsilon; rows, once another one is surely at most epsilon
    behind them. Bounds of rows that left stay valid, as all rounds belong to one event.
    """

    def __init__(
        self, sampler: PairSampler, schedule: Schedule, tie: TieBreaking, rng: np.random.Generator
    ) -> None:
        self._sampler, self._epsilon, self._tie = sampler, schedule.budget.epsilon, tie
        self._rounds: tuple[Round, ...] = schedule.detail
        self._cap = schedule.samples[0]
        self._active = np.ones(sampler.shape, dtype=bool)
        self._leader, self._follower = np.zeros((2, *sampler.shape))
        self._win, self._challenge = np.full((2, len(self._active)), [[-np.inf], [np.inf]])
        self._standing = Standing(0, np.inf, False, False)
        self._response = np.full(len(self._active), -1)
        self._finished = self._pulls = self.samples = 0
        self.sample(self._next_pulls(), rng)

    def _next_pulls(self) -> int:
        """Of each active pair: up to the end of the next round, or as many as the cap allows."""
        wanted = self._rounds[self._finished].pulls - self._pulls
        return min(wanted, (self._cap - self.samples) // int(self._active.sum()))

    def sample(self, allocation: int, rng: np.random.Generator) -> None:
        counts = np.where(self._active, allocation, 0)
        leader, follower = self._sampler.pull_counts(counts, rng)
        self._leader, self._follower = self._leader + leader, self._follower + follower
        self._pulls += allocation
        self.samples += int(counts.sum())
        self._finished = sum(each.pulls <= self._pulls for each in self._rounds)

    def standing(self) -> Standing:
        """After the last round the theorem's inequalities hold, up to rounding; within one, the last ones."""
        if self._pulls not in {each.pulls for each in self._rounds}:
            return self._standing
        rows = np.flatnonzero(self._active.any(axis=1))
        active, error = self._active[rows], self._rounds[self._finished - 1].error
        means, follower = self._leader[rows] / self._pulls, self._follower[rows] / self._pulls
        difference = follower[:, :, None] - follower[:, None, :] + 2 * error
        difference[:, range(active.shape[1]), range(active.shape[1])] = 0.0
        difference[~np.broadcast_to(active[:, None, :], difference.shape)] = np.inf
        difference[~np.broadcast_to(active[:, :, None], difference.shape)] = -np.inf  # surely behind
        bounds = row_bounds(means - error, means + error, difference, self._epsilon, self._tie)
        self._win[rows] = np.maximum(self._win[rows], bounds.win)
        self._challenge[rows] = np.minimum(self._challenge[rows], bounds.challenge)
        self._active[rows] = bounds.live
        self._response[rows] = bounds.response
        win = np.where(self._active.any(axis=1), self._win, -np.inf)
        found = standing_of(win, self._challenge, self._response >= 0, self._epsilon)
        left = self._challenge > win[found.winner] + self._epsilon
        left[found.winner] = True
        self._active &= left[:, None]
        ended = self._finished == len(self._rounds)
        self._standing = replace(found, settled=found.settled or ended)
        return self._standing

    def allocation(self, standing: Standing) -> tuple[int, int]:
        pulls = self._next_pulls()
        active = int(self._active.sum())
        return (pulls * active, pulls) if pulls else (active, 1)  # nothing is left: more than the cap

    def decision(self, standing: Standing) -> Decision:
        row, response = standing.winner, int(self._response[standing.winner])
        leader, follower = self._leader / self._pulls, np.where(self._active, self._follower, -np.inf)
        if not standing.proven:
            slack = 0.75 * self._epsilon * self._pulls
            members = self._active & (follower >= follower.max(axis=1, keepdims=True) - slack)
            values, responses = respond(leader, members, self._tie)
            row = int(np.where(members.any(axis=1), values, -np.inf).argmax())
            response = int(responses[row])
        diagnostics = {"rounds": float(self._finished)}
        value = float(leader[row, response])
        return Decision(self._tie, row, None, response, value, self.samples, diagnostics)
