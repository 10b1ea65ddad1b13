"""Where the rows stand: whether one of them is proven good enough, and which two decide it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Standing:
    """The winner has the best proof; `settled` is the leader's line, a known response the follower's."""

    winner: int
    gap: float  # certified: no row is better than the winner by more
    settled: bool
    response: int  # of the winner, surely within epsilon; -1 where none is known

    @property
    def proven(self) -> bool:
        """Whether both lines of the theorem follow."""
        return self.settled and self.response >= 0


def standing_of(win: np.ndarray, challenge: np.ndarray, response: np.ndarray, epsilon: float) -> Standing:
    """The row whose lower bound is closest to every other row's upper bound."""
    order = np.argsort(-challenge, kind="stable")
    others = np.full(len(win), challenge[order[0]])
    others[order[0]] = challenge[order[1]] if len(win) > 1 else -np.inf
    gaps = others - win
    winner = int(gaps.argmin())
    return Standing(winner, float(gaps[winner]), bool(gaps[winner] <= epsilon), int(response[winner]))
