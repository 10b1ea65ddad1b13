"""An interval that is certain to contain a quantity."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CertifiedInterval:
    """low <= quantity <= high, up to rounding; not finished where a time limit or near ties left it wide."""

    low: float
    high: float
    finished: bool = True

    @property
    def middle(self) -> float:
        """The point of the interval with the least worst error."""
        return 0.5 * (self.low + self.high)

    @property
    def width(self) -> float:
        """How much is left open."""
        return self.high - self.low
