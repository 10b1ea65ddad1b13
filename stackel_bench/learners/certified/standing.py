"""Where the rows stand: whether one of them is proven good enough, and which two decide it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Standing:
    """The winner has the best proof; `settled` is the leader's line, `answered` the follower's."""

    winner: int
    gap: float  # certified: no row is better than the winner by more
    settled: bool
    answered: bool  # a response of the winner is known that is surely within epsilon
    low: float = -np.inf  # phi_{eps/2} or psi_eps of the winner is at least this
    high: float = np.inf  # phi_eps or psi_0 of it is at most this
    asked: bool = False  # the winner was not chosen: it is the row that a question is about

    @property
    def proven(self) -> bool:
        """Whether both lines of the theorem follow."""
        return self.settled and self.answered


def standing_of(
    win: np.ndarray, challenge: np.ndarray, answered: np.ndarray, epsilon: float, row: int | None = None
) -> Standing:
    """The row whose lower bound is closest to every other row's upper bound, or the given one; arrays [A]."""
    order = np.argsort(-challenge, kind="stable")
    others = np.full(len(win), challenge[order[0]])
    others[order[0]] = challenge[order[1]] if len(win) > 1 else -np.inf
    gaps = others - win
    winner = int(gaps.argmin()) if row is None else row
    gap, bounds = float(gaps[winner]), (float(win[winner]), float(challenge[winner]))
    return Standing(winner, gap, gap <= epsilon, bool(answered[winner]), *bounds, row is not None)
