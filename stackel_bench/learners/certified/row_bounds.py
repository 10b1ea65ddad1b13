"""Bounds of phi and psi of some leader actions, from confidence on means and differences of means.

low <= leader mean <= high [n,B], and difference [n,B,B]: w(p) - w(q) <= difference[., p, q]. Outer bounds
leave out what is surely outside BR_s; inner ones go through all responses that may be the best one.
docs/certified.md has the proof.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stackel_bench.models import TieBreaking


class RowBounds(NamedTuple):
    """Arrays [n]: lower bounds that win, upper bounds that challenge, and responses that they rest on."""

    win: np.ndarray  # phi_{eps/2} or psi_eps is at least this
    challenge: np.ndarray  # phi_eps or psi_0 is at most this
    win_rests_on: np.ndarray
    challenge_rests_on: np.ndarray
    response: np.ndarray  # a response surely within epsilon, -1 where none is known
    live: np.ndarray  # [n,B]: not surely outside BR_eps
    behind: np.ndarray  # [n,B]: surely within this of the best


def row_bounds(
    low: np.ndarray, high: np.ndarray, difference: np.ndarray, epsilon: float, tie_breaking: TieBreaking
) -> RowBounds:
    """The bounds of rows that are known so well."""
    least = difference.min(axis=2)  # how far p is surely behind the best one, negated
    behind = difference.max(axis=1)  # of q: w(p) - w(q) is at most this, for all p
    response = np.where(behind.min(axis=1) <= epsilon, behind.argmin(axis=1), -1)
    live = least >= -epsilon
    if tie_breaking is TieBreaking.PESSIMISTIC:
        win_at, challenge_at = _outer(low, least, epsilon / 2), _inner(high, least, difference, epsilon)
    else:
        win_at, challenge_at = _inner(-low, least, difference, epsilon), _outer(-high, least, 0.0)
    (win, win_on), (challenge, challenge_on) = win_at, challenge_at
    if tie_breaking is TieBreaking.OPTIMISTIC:
        win, challenge = -win, -challenge
    return RowBounds(win, challenge, win_on, challenge_on, response, live, behind)


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
