"""Successive elimination on a payoff table: the rounds of pulls, and what each of them settles."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from stackel_bench import streams
from stackel_bench.families.bandit.learners import empirical_response_sets
from stackel_bench.families.tables.pair_sampling import PairSampler
from stackel_bench.learners.learner import StreamKey
from stackel_bench.models import TieBreaking
from stackel_bench.planning.finite.responses import respond

LARGEST_ERROR = 0.25  # coarser rounds settle nothing where means are in [0,1]


@dataclass(frozen=True)
class Round:
    """All active pairs are pulled until they have `pulls`, after which their means are within `error`."""

    pulls: int
    error: float


@dataclass(frozen=True)
class Elimination:
    """Where the rounds ended: the row, a response that is within epsilon there, and what it took."""

    row: int
    response: int
    value: float
    samples: int
    rounds: int


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


def eliminate(
    sampler: PairSampler,
    rounds: tuple[Round, ...],
    epsilon: float,
    tie_breaking: TieBreaking,
    key: StreamKey,
) -> Elimination:
    """Pull, drop responses and rows that cannot matter, stop as soon as one row is known to be good enough.

    Responses leave when they are surely not within epsilon of the row's best; rows when another one is surely
    better. Once a row is within epsilon of every other one it alone is pulled on, until the error epsilon/2
    tells a response that is within epsilon. In the last round the paper's rule decides.
    """
    active = np.ones(sampler.shape, dtype=bool)
    leader, follower = np.zeros((2, *sampler.shape))
    samples = done = 0
    for number, current in enumerate(rounds, 1):
        samples += int(active.sum()) * (current.pulls - done)
        rng = streams.generator(*key, "elimination", number)
        drawn = sampler.pull_pairs(active, current.pulls - done, rng)
        done = current.pulls
        leader, follower = leader + drawn[0], follower + drawn[1]
        known = _Known(leader / done, follower / done, active, current.error, epsilon)
        known = replace(known, active=active & ~known.hopeless_responses())
        rows, winner = known.promising_rows(tie_breaking)
        active = known.active & rows[:, None]
        if winner is not None and current.error <= epsilon / 2:
            response = known.near_best_response(winner, tie_breaking)
            value = float(known.leader[winner, response])
            return Elimination(winner, response, value, samples, number)
    return _paper_rule(sampler, leader, follower, active, done, epsilon, tie_breaking, samples, len(rounds))


def _paper_rule(
    sampler: PairSampler,
    leader: np.ndarray,
    follower: np.ndarray,
    active: np.ndarray,
    pulls: int,
    epsilon: float,
    tie_breaking: TieBreaking,
    samples: int,
    rounds: int,
) -> Elimination:
    """The decision of Algorithm 1, tolerance 3 eps/4, on the rows and responses that are left."""
    rows = np.flatnonzero(active.any(axis=1))
    left = active[rows]
    sums = np.where(left, follower[rows], -np.inf)
    tau = 3 * Fraction(repr(epsilon)) / 4
    members = empirical_response_sets(sums[:, None], [tau], [pulls], sampler.whole_rewards)[:, 0]
    values, responses = respond(leader[rows], members & left, tie_breaking)
    best = int(values.argmax())
    value = float(values[best] / pulls)
    return Elimination(int(rows[best]), int(responses[best]), value, samples, rounds)


@dataclass(frozen=True, eq=False)
class _Known:
    """Empirical means [A,B]; the active ones are within `error` of the truth."""

    leader: np.ndarray
    follower: np.ndarray
    active: np.ndarray
    error: float
    epsilon: float

    @functools.cached_property
    def behind(self) -> np.ndarray:
        """How far each active response [A,B] is behind its row's best, infinite for the others."""
        shown = np.where(self.active, self.follower, -np.inf)
        best = shown.max(axis=1, keepdims=True)
        return np.where(self.active, np.where(np.isfinite(best), best, 0.0) - self.follower, np.inf)

    def hopeless_responses(self) -> np.ndarray:
        """Responses [A,B] that are surely not in BR_epsilon."""
        return self.behind > self.epsilon + 2 * self.error

    def promising_rows(self, tie_breaking: TieBreaking) -> tuple[np.ndarray, int | None]:
        """Which rows [A] stay; only one of them does, and is named, once it is within epsilon of all others.

        Pessimistic: lower <= phi_eps and upper >= phi_{eps/2}, so the maximiser of phi_eps stays. Optimistic:
        rows are compared by bounds of psi_{eps/2}, whose maximiser stays, and the winner by psi_eps.
        """
        error, rows = self.error, self.active.any(axis=1)
        least = np.where(self.active, self.leader, np.inf).min(axis=1)
        if tie_breaking is TieBreaking.PESSIMISTIC:
            surely = np.where(self.behind <= self.epsilon / 2 - 2 * error, self.leader, np.inf).min(axis=1)
            most = np.where(self.active, self.leader, -np.inf).max(axis=1)
            lower = winning = least - error
            upper = np.minimum(surely, most) + error
        else:
            lower, winning = (
                np.maximum(self._most(self.behind <= slack - 2 * error), least) - error
                for slack in (self.epsilon / 2, self.epsilon)
            )
            upper = self._most(self.behind <= self.epsilon / 2 + 2 * error) + error
        lower, winning, upper = (np.where(rows, bound, -np.inf) for bound in (lower, winning, upper))
        rows = rows & (upper >= lower.max())
        winner = int(np.where(rows, winning, -np.inf).argmax())
        others = rows.copy()
        others[winner] = False
        if winning[winner] >= upper[others].max(initial=-np.inf) - self.epsilon:
            return ~others & rows, winner
        return rows, None

    def _most(self, responses: np.ndarray) -> np.ndarray:
        return np.asarray(np.where(responses, self.leader, -np.inf).max(axis=1))

    def near_best_response(self, row: int, tie_breaking: TieBreaking) -> int:
        """The tie rule's choice among responses of the row that are surely within epsilon of its best."""
        surely = self.behind[row] <= max(0.0, self.epsilon - 2 * self.error)
        return int(respond(self.leader[row], surely, tie_breaking)[1])
