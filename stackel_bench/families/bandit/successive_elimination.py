"""The successive elimination learner for bandit games: the paper's guarantee, pulling only what is open."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.families.tables.game import PairSampler
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.certified.learner import StoppingLearner, largest_cap
from stackel_bench.learners.certified.rows import Rows, RowStanding
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Schedule
from stackel_bench.models import TieBreaking
from stackel_bench.planning.finite import respond

LARGEST_ERROR = 0.25  # coarser rounds settle nothing where means are in [0,1]


@dataclass(frozen=True)
class Round:
    """All active pairs are pulled until they have `pulls`, after which their means are within `error`."""

    pulls: int
    error: float


def elimination_rounds(
    epsilon: float, num_pairs: int, delta: float, sub_gaussian_scale: float, scale: float = 1.0
) -> tuple[Round, ...]:
    """Errors epsilon/8 * 2^j, halved from at most 1/4 to the paper's, with pulls that make each sure enough.

    The last round may fail with probability delta_0 = delta/2, the j-th before it with delta_j = delta /
    (2j(j+1)), in sum delta; n_j = ceil(2 sigma^2 ln(4 AB / delta_j) / t_j^2). With L = ln(4 AB / delta),
    n_j ~ (L + ln(2j(j+1))) / 4^j <= L + ln 2 ~ n_0, for 2j(j+1) <= 2^(4^j): no round asks for more than the
    last one, and that for 1 + ln 2 / L times the paper's pulls, rounded up. `scale` multiplies n_j and keeps
    the errors as they are: below 1 it gives the guarantee away.
    """
    before_last = max(0, math.floor(math.log2(LARGEST_ERROR / (epsilon / 8))))
    rounds = []
    for j in range(before_last, -1, -1):
        error = epsilon / 8 * 2**j
        failure = delta / (2 * j * (j + 1)) if j else delta / 2
        logs = math.log(4 * num_pairs / failure)
        rounds.append(Round(max(1, math.ceil(scale * 2 * sub_gaussian_scale**2 * logs / error**2)), error))
    return tuple(rounds)


class _Rounds:
    """The confidence model: after a round every active pair is known up to its error.

    Responses leave that are surely not within epsilon; rows, once another one is surely at most epsilon
    behind them. Bounds of rows that left stay valid, as all rounds belong to one event.
    """

    def __init__(
        self, sampler: PairSampler, schedule: Schedule, tie: TieBreaking, rng: np.random.Generator
    ) -> None:
        self._sampler = sampler
        self._rounds: tuple[Round, ...] = schedule.detail
        self._cap = schedule.samples[0]
        self._active = np.ones(sampler.shape, dtype=bool)
        self._leader, self._follower = np.zeros((2, *sampler.shape))
        self._rows = Rows(sampler.shape, schedule.budget.epsilon, tie)
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

    def standing(self) -> RowStanding:
        """After the last round the theorem's inequalities hold, up to rounding; within one, the last ones."""
        known = self._rows
        if self._pulls in {each.pulls for each in self._rounds}:
            rows = np.flatnonzero(self._active.any(axis=1))
            active, error = self._active[rows], self._rounds[self._finished - 1].error
            means, follower = self._leader[rows] / self._pulls, self._follower[rows] / self._pulls
            difference = follower[:, :, None] - follower[:, None, :] + 2 * error
            difference[:, range(active.shape[1]), range(active.shape[1])] = 0.0
            difference[~np.broadcast_to(active[:, None, :], difference.shape)] = np.inf
            difference[~np.broadcast_to(active[:, :, None], difference.shape)] = -np.inf  # surely behind
            known.look(rows, means - error, means + error, difference)
            self._active &= known.live
            known.win[~self._active.any(axis=1)] = -np.inf
        found = known.standing()
        left = known.challenge > known.win[found.winner] + known.epsilon
        left[found.winner] = True
        self._active &= left[:, None]
        return replace(found, settled=found.settled or self._finished == len(self._rounds))

    def allocation(self, standing: RowStanding) -> tuple[int, int]:
        pulls = self._next_pulls()
        active = int(self._active.sum())
        return (pulls * active, pulls) if pulls else (active, 1)  # nothing is left: more than the cap

    def decision(self, standing: RowStanding) -> Decision:
        row, response = standing.winner, self._rows.response(standing.winner)
        leader, follower = self._leader / self._pulls, np.where(self._active, self._follower, -np.inf)
        if not standing.proven:
            slack = 0.75 * self._rows.epsilon * self._pulls
            members = self._active & (follower >= follower.max(axis=1, keepdims=True) - slack)
            values, responses = respond(leader, members, self._rows.tie)
            row = int(np.where(members.any(axis=1), values, -np.inf).argmax())
            response = int(responses[row])
        diagnostics = {"rounds": float(self._finished)}
        value = float(leader[row, response])
        return Decision(self._rows.tie, row, None, response, value, self.samples, diagnostics)


@dataclass(frozen=True)
class SuccessiveEliminationLearner(StoppingLearner):
    """Rounds with errors ..., eps/2, eps/4, eps/8; how many of them are needed is for the game to say.

    Guarantee: both lines of Theorem nested-bandit (or nested-bandit-optimistic) with probability 1 - delta.
    At most 1 + ln(2)/ln(4AB/delta) times the paper's pulls of each pair, rounded up (elimination_rounds has
    the proof), where nothing can be settled early; usually far fewer. After a round the bounds of
    learners.certified.rows hold with boxes of its error. budget=scaled multiplies the pulls of each
    round, and gives the guarantee away.
    """

    version: ClassVar[int] = 3
    name: ClassVar[str] = "successive_elimination"
    model = _Rounds

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
