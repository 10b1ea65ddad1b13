"""Where leader actions stand: bounds of phi and psi, from confidence on means and differences of means.

low <= leader mean <= high [n,B], and difference [n,B,B]: w(p) - w(q) <= difference[., p, q]. Outer bounds
leave out what is surely outside BR_s; inner ones go through all responses that may be the best one.
docs/certified.md has the proof.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stackel_bench.learners.certified.learner import Standing
from stackel_bench.learners.decision import Decision
from stackel_bench.models import TieBreaking


@dataclass(frozen=True)
class RowStanding(Standing):
    """Of the row with the best proof, or of the one asked about."""

    winner: int


def standing_of(
    win: np.ndarray, challenge: np.ndarray, answered: np.ndarray, epsilon: float, row: int | None = None
) -> RowStanding:
    """The row whose lower bound is closest to every other row's upper bound, or the given one; arrays [A]."""
    order = np.argsort(-challenge, kind="stable")
    others = np.full(len(win), challenge[order[0]])
    others[order[0]] = challenge[order[1]] if len(win) > 1 else -np.inf
    gaps = others - win
    winner = int(gaps.argmin()) if row is None else row
    gap = float(gaps[winner])
    bounds = float(win[winner]), float(challenge[winner])
    return RowStanding(gap, gap <= epsilon, bool(answered[winner]), *bounds, winner)


class RowBounds(NamedTuple):
    """Arrays [n]: lower bounds that win, upper bounds that challenge, and responses that they rest on."""

    win: np.ndarray  # phi_{eps/2} or psi_eps is at least this
    challenge: np.ndarray  # phi_eps or psi_0 is at most this
    win_rests_on: np.ndarray
    challenge_rests_on: np.ndarray
    live: np.ndarray  # [n,B]: not surely outside BR_eps
    behind: np.ndarray  # [n,B]: surely within this of the best


def row_bounds(
    low: np.ndarray, high: np.ndarray, difference: np.ndarray, epsilon: float, tie_breaking: TieBreaking
) -> RowBounds:
    """The bounds of rows that are known so well."""
    least = difference.min(axis=2)  # how far p is surely behind the best one, negated
    behind = difference.max(axis=1)  # of q: w(p) - w(q) is at most this, for all p
    if tie_breaking is TieBreaking.PESSIMISTIC:
        win, win_on = _outer(low, least, epsilon / 2)
        challenge, challenge_on = _inner(high, least, difference, epsilon)
    else:
        win, win_on = _inner(-low, least, difference, epsilon)
        challenge, challenge_on = _outer(-high, least, 0.0)
        win, challenge = -win, -challenge
    return RowBounds(win, challenge, win_on, challenge_on, least >= -epsilon, behind)


def _outer(values: np.ndarray, least: np.ndarray, slack: float) -> tuple[np.ndarray, np.ndarray]:
    """min of the values over responses that may be within slack, and where it is attained."""
    shown = np.where(least >= -slack, values, np.inf)
    return shown.min(axis=1), shown.argmin(axis=1)


def _inner(
    values: np.ndarray, least: np.ndarray, difference: np.ndarray, slack: float
) -> tuple[np.ndarray, np.ndarray]:
    """max over possible best responses p0 of the min over those surely within slack of p0; and that p0."""
    with_best = np.where(difference <= slack, values[:, None, :], np.inf).min(axis=2)  # p is in_s(p0)
    with_best = np.minimum(with_best, values)
    possible = least >= 0
    shown = np.where(possible, with_best, -np.inf)
    empty = ~possible.any(axis=1)  # outside the event: anything will do
    shown[empty] = with_best[empty]
    return shown.max(axis=1), shown.argmax(axis=1)


class Rows:
    """What is proven of all rows [A] and responses [A,B]; bounds hold at all times, so they only improve."""

    def __init__(self, shape: tuple[int, int], epsilon: float, tie: TieBreaking) -> None:
        self.epsilon, self.tie = epsilon, tie
        self.win, self.challenge = np.full(shape[0], -np.inf), np.full(shape[0], np.inf)
        self.win_rests_on, self.challenge_rests_on = np.zeros((2, shape[0]), dtype=np.int64)
        self.live, self.behind = np.ones(shape, dtype=bool), np.full(shape, np.inf)

    def look(self, rows: np.ndarray, low: np.ndarray, high: np.ndarray, difference: np.ndarray) -> None:
        """What is known of these rows by now."""
        found = row_bounds(low, high, difference, self.epsilon, self.tie)
        self.win[rows] = np.maximum(self.win[rows], found.win)
        self.challenge[rows] = np.minimum(self.challenge[rows], found.challenge)
        self.win_rests_on[rows], self.challenge_rests_on[rows] = found.win_rests_on, found.challenge_rests_on
        self.live[rows] &= found.live
        self.behind[rows] = np.minimum(self.behind[rows], found.behind)

    def standing(self, about: Decision | None = None) -> RowStanding:
        """Of the row with the best proof, or of the only decision that is to be proven."""
        behind = self.behind.min(axis=1) if about is None else self.behind[:, about.follower_response]
        row = None if about is None else about.leader_action
        return standing_of(self.win, self.challenge, behind <= self.epsilon, self.epsilon, row)

    def response(self, row: int) -> int:
        """Surely the closest to the best."""
        return int(self.behind[row].argmin())
