"""How long work will take: the schedules' rough figures, corrected by what was observed."""

from __future__ import annotations

from collections.abc import Hashable

WEIGHT = 0.5  # of the newest observation


class CostModel:
    """Seconds of pieces of work; learns one factor per trial, and one per kind of trial for those to come."""

    def __init__(self) -> None:
        self._factors: dict[Hashable, float] = {}

    def knows(self, kinds: tuple[Hashable, ...]) -> bool:
        """Whether work of one of these kinds has been observed, so that figures are more than a guess."""
        return any(kind in self._factors for kind in kinds)

    def factor(self, kinds: tuple[Hashable, ...]) -> float:
        """Observed over scheduled seconds, of the first kind that was observed."""
        return next((self._factors[kind] for kind in kinds if kind in self._factors), 1.0)

    def observe(self, kinds: tuple[Hashable, ...], scheduled_seconds: float, seconds: float) -> None:
        """Learn from finished work whose schedule asked for scheduled_seconds."""
        if scheduled_seconds <= 0 or seconds <= 0:
            return
        ratio = seconds / scheduled_seconds
        for kind in kinds:
            old = self._factors.get(kind)
            self._factors[kind] = ratio if old is None else old ** (1 - WEIGHT) * ratio**WEIGHT
