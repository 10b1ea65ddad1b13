"""How many samples a learner may draw: the theorem's number, a multiple, a fixed total, or a ladder."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from stackel_bench import checks
from stackel_bench.errors import InputError

KINDS = ("theory", "scaled", "fixed", "ladder")
READ_BY = {
    "samples": ("fixed", "ladder"),
    "scale": ("scaled", "ladder"),
    "rungs": ("ladder",),
    "ratio": ("ladder",),
}
# Beyond these no study is meant, and within them no formula of theory/ leaves the range of float64.
LEAST_EPSILON, MOST_EPSILON = 1e-12, 1e6
LEAST_DELTA = 1e-100
MOST_SCALE, MOST_RATIO = 1e15, 1e4


@dataclass(frozen=True)
class Budget:
    """Accuracy wanted and samples allowed; a ladder has rungs top, top/ratio, ... seen along one run."""

    kind: str = "theory"
    epsilon: float = 0.1
    delta: float = 0.05
    scale: float = 1.0
    samples: int | None = None
    rungs: int = 8
    ratio: float = 4.0

    def __post_init__(self) -> None:
        checks.choice("budget", self.kind, KINDS)
        epsilon = checks.real("budget.epsilon", self.epsilon, least=LEAST_EPSILON, most=MOST_EPSILON)
        self._set("epsilon", epsilon)
        delta = checks.real("budget.delta", self.delta, least=LEAST_DELTA, most=1, open_most=True)
        self._set("delta", delta)
        scale = checks.real("budget.scale", self.scale, least=0, most=MOST_SCALE, open_least=True)
        self._set("scale", scale)
        ratio = checks.real("budget.ratio", self.ratio, least=1, most=MOST_RATIO, open_least=True)
        self._set("ratio", ratio)
        checks.integer("budget.rungs", self.rungs, least=1, most=64)
        if self.samples is not None:
            checks.integer("budget.samples", self.samples, least=1, most=checks.MAX_EXACT_COUNT)
        elif self.kind == "fixed":
            raise InputError("budget.samples", None, "an integer >= 1 (needed by budget=fixed)")

    def _set(self, name: str, value: float) -> None:
        object.__setattr__(self, name, value)

    @property
    def options(self) -> dict[str, Any]:
        """Every key that counts for this kind of budget, with its value."""
        kept = {"kind": self.kind, "epsilon": self.epsilon, "delta": self.delta}
        read = {key: getattr(self, key) for key, kinds in READ_BY.items() if self.kind in kinds}
        ignored = "scale" if self.total_is_given else "samples"
        return kept | {key: value for key, value in read.items() if key != ignored}

    @property
    def total_is_given(self) -> bool:
        """Whether budget.samples, not the theorem, says how many samples there are."""
        return self.kind == "fixed" or (self.kind == "ladder" and self.samples is not None)

    def unit_counts(self, theory_count: int, samples_per_count: int, unit: str) -> tuple[int, ...]:
        """Counts per rung, ascending, where one count costs samples_per_count samples.

        theory_count is the theorem's number; unit names what is counted, for the error message.
        """
        if self.total_is_given:
            assert self.samples is not None
            top = self.samples // samples_per_count
            if top == 0:
                allowed = f"an integer >= {samples_per_count} (one {unit})"
                raise InputError("budget.samples", self.samples, allowed)
        else:
            top = theory_count if self.kind == "theory" else max(1, math.ceil(theory_count * self.scale))
        if top * samples_per_count > checks.MAX_EXACT_COUNT:
            allowed = "at most 2**53 in total; raise budget.epsilon or lower budget.scale"
            raise InputError("samples of the budget", top * samples_per_count, allowed)
        if self.kind != "ladder":
            return (top,)
        return tuple(sorted({max(1, math.ceil(top / self.ratio**k)) for k in range(self.rungs)}))
