"""What a claim predicts of a number, and whether an interval for that number confirms it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stackel_bench.tolerances import ACCURACY

CONFIRMED, REFUTED, INCONCLUSIVE = "confirmed", "refuted", "inconclusive"


@dataclass(frozen=True)
class Prediction:
    """The values [low, high] that the claim allows; of exact values and means they may depend on epsilon."""

    low: float
    high: float
    per_epsilon: float = 0.0

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Prediction:
        """at_most, at_least, equals (with a tolerance) or between; per_epsilon times epsilon is added."""
        given = {"per_epsilon": 0.0, "tolerance": 0.0, **data}
        shift, tolerance = given.pop("per_epsilon"), given.pop("tolerance")
        ((form, value),) = given.items()
        forms = {"at_most": (-math.inf, value), "at_least": (value, math.inf), "between": value}
        low, high = (value - tolerance, value + tolerance) if form == "equals" else forms[form]
        return cls(low, high, shift)

    def at(self, epsilon: float) -> Prediction:
        """The prediction for this epsilon, which then no longer depends on it."""
        return Prediction(self.low + self.per_epsilon * epsilon, self.high + self.per_epsilon * epsilon)

    def widened(self, rounding: float) -> Prediction:
        """The same, wider by rounding on both sides."""
        return Prediction(self.low - rounding, self.high + rounding, self.per_epsilon)

    def verdict(self, low: float, high: float) -> str:
        """confirmed where [low, high] lies inside the prediction, refuted outside, else inconclusive."""
        if self.low <= low and high <= self.high:
            return CONFIRMED
        return REFUTED if high < self.low or low > self.high else INCONCLUSIVE

    def room(self, low: float, high: float) -> float:
        """How far [low, high] is from leaving the prediction; negative where part of it is outside."""
        below = math.inf if math.isinf(self.low) else low - self.low
        return min(below, math.inf if math.isinf(self.high) else self.high - high)

    def text(self) -> str:
        """As people write it."""
        shift = (
            f" {'+' if self.per_epsilon > 0 else '-'} {abs(self.per_epsilon):g} eps"
            if self.per_epsilon
            else ""
        )
        if math.isinf(self.low):
            return f"<= {self.high:g}{shift}"
        if math.isinf(self.high):
            return f">= {self.low:g}{shift}"
        middle, width = (self.low + self.high) / 2, (self.high - self.low) / 2
        if width <= ACCURACY:
            return f"= {round(middle, 9):g}{shift}"
        return f"in [{self.low:g}, {self.high:g}]{shift}"


def combined(verdicts: list[str]) -> str:
    """The verdict of several that must all hold: one refutation refutes, one open question leaves it open."""
    if REFUTED in verdicts:
        return REFUTED
    return INCONCLUSIVE if INCONCLUSIVE in verdicts or not verdicts else CONFIRMED
