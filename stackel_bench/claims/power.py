"""What a guarantee would have caught: wrong learners that break it on the same games, in the same run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stackel_bench.claims.evidence import Measured
from stackel_bench.claims.prediction import INCONCLUSIVE, REFUTED

Cells = Sequence[Any]  # evidence of cells, or cases


@dataclasses.dataclass(frozen=True)
class Power:
    """Which wrong learners were caught, and on which of the guarantee's cells [cell] some of them was."""

    caught: tuple[str, ...]
    missed: tuple[str, ...]
    covered: tuple[bool, ...]

    def judged(self, measured: Measured, names: Sequence[str]) -> Measured:
        """The measurement, which confirms nothing if some cell has no wrong learner that fails there."""
        if all(self.covered) or measured.verdict == REFUTED:
            return measured
        tame = [name for name, ok in zip(names, self.covered, strict=True) if not ok]
        note = f"{measured.note}; nothing tried fails on {', '.join(tame)}"
        return dataclasses.replace(measured, note=note, verdict=INCONCLUSIVE)


NO_POWER = Power((), (), ())


def power_of(wrong: Mapping[str, Cells], judge: Callable[[Cells], Measured]) -> Power:
    """Judge every wrong learner like the guarantee itself, cell by cell; caught is what is refuted.

    Each cell has the whole false-alarm rate of the row: a wrong learner that is right in truth is taken for
    one that fails with that probability.
    """
    found = {name: [judge([cell]) for cell in cells] for name, cells in wrong.items()}
    caught, missed = [], []
    for name, results in found.items():
        failing = [result for result in results if result.verdict == REFUTED]
        if failing:
            rates = sorted(result.value for result in failing)
            span = f"{rates[0]:.2g}" + (f" to {rates[-1]:.2g}" if rates[-1] > rates[0] else "")
            caught.append(f"{name}: fails at rate {span} in {len(failing)} of {len(results)} cells")
        else:
            highest = max(result.value for result in results)
            missed.append(f"{name} (rate at most {highest:.2g})")
    covered = [any(r.verdict == REFUTED for r in column) for column in zip(*found.values(), strict=True)]
    return Power(tuple(caught), tuple(missed), tuple(covered))
