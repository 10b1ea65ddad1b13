"""An interval that is certain to contain a number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """low <= number <= high, up to rounding; low == high where it is known exactly.

    finished is False if a time limit or near ties left the interval wider than asked for: each end is still a
    bound, and neither is the number.
    """

    low: float
    high: float
    finished: bool = True

    @classmethod
    def exactly(cls, value: float) -> Bounds:
        """The interval of a number that is known."""
        return cls(float(value), float(value))
