"""How far the run of a program is: what a checkpoint says to people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RunSoFar:
    """One unit and replicate of a program that was cut, and goes on."""

    unit: int
    replicate: int
    by_action: Mapping[int, int]  # episodes or pulls of the leader actions that were played
    certificates: Mapping[int, float]  # what errors of their values are at most, where that is known
    seconds: float
    planned: int | None  # samples of the whole run; None where it stops by itself

    @property
    def samples(self) -> int:
        """Of all leader actions."""
        return sum(self.by_action.values())

    @property
    def per_second(self) -> float:
        """Samples a second."""
        return self.samples / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Until it has what is planned, at this pace."""
        if self.planned is None or not self.per_second:
            return None
        return max(0.0, self.planned - self.samples) / self.per_second
