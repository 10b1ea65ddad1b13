"""What a claim predicts of a number, and whether an interval for that number confirms it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.tolerances import ACCURACY

CONFIRMED, REFUTED, INCONCLUSIVE = "confirmed", "refuted", "inconclusive"
FORMS = ("at_most: x", "at_least: x", "equals: x with tolerance: y", "between: [x, y]")


@dataclass(frozen=True)
class Prediction:
    """The values [low, high] that the claim allows; exact values may also depend on epsilon, linearly."""

    low: float
    high: float
    per_epsilon: float = 0.0

    @classmethod
    def parse(cls, field: str, data: Any) -> Prediction:
        """From one of the FORMS; per_epsilon shifts both ends by so much times epsilon."""
        if not isinstance(data, Mapping):
            raise InputError(field, data, "one of " + "; ".join(FORMS))
        given = dict(data)
        shift = checks.real(f"{field}.per_epsilon", given.pop("per_epsilon", 0.0))
        tolerance = checks.real(f"{field}.tolerance", given.pop("tolerance", 0.0), least=0)
        if len(given) != 1:
            raise InputError(field, dict(data), "one of " + "; ".join(FORMS))
        form, value = given.popitem()
        if form == "between" and isinstance(value, list) and len(value) == 2:
            low, high = (checks.real(f"{field}.between", end) for end in value)
            return cls(low, high, shift)
        if form not in ("at_most", "at_least", "equals"):
            raise InputError(field, dict(data), "one of " + "; ".join(FORMS))
        number = checks.real(f"{field}.{form}", value)
        low = -math.inf if form == "at_most" else number - tolerance
        return cls(low, math.inf if form == "at_least" else number + tolerance, shift)

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
