"""Growth exponents: the slope of ln(samples needed) against ln(a size of the game or epsilon)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.stats import norm

from stackel_bench.claims.evidence import CellEvidence, Measured, NotMeasurableError
from stackel_bench.claims.prediction import Prediction
from stackel_bench.errors import InputError
from stackel_bench.statistics.crossing_likelihood import Ladder
from stackel_bench.statistics.exponents import needed_exponent, used_exponent

NEEDS = ("transition", "uniform_error", "reward_error")


def exponent(
    cells: Sequence[CellEvidence],
    prediction: Prediction,
    false_alarm: float,
    *,
    against: str,
    needs: str = "transition",
    event: str = "leader",
    level: float = 0.1,
    per: str = "one",
) -> Measured:
    """d ln(needed) / d ln(against), over all cells; against is a key, or a size of the games.

    needs says what is taken for the samples needed: `transition`, the budget from which on the failure
    probability stays at most the level; or an error of all policies' values, n times its square, since it
    falls like 1/sqrt(n). Intervals count cells, not replicates. With per: size_and_log the samples are
    divided by x ln x, x being the size, with per: theory by what the theorem asks for, with per: union by
    x z^2, where x - 1 independent normal errors all stay below z with probability 1 - level: 0 where they
    grow so.
    """
    sizes = [
        float(cell.setting(against) if "." in against else cell.entry.description[against]) for cell in cells
    ]
    if len(set(sizes)) < 2:
        raise InputError("against", against, "a key that differs between the cells")
    if needs not in NEEDS:
        raise InputError("needs", needs, "one of " + ", ".join(NEEDS))
    if needs == "transition":
        ladders = [_ladder(cell, size, event, per, level) for cell, size in zip(cells, sizes, strict=True)]
        law = needed_exponent(ladders, level, 1.0 - false_alarm)
    else:
        law = used_exponent(sizes, [_squared(cell, needs) for cell in cells], 1.0 - false_alarm)
    if law is None:
        raise NotMeasurableError(_why_not(cells, sizes, needs, event, level))
    note = f"slope over {against} from {min(sizes):g} to {max(sizes):g}, {len(cells)} cells"
    if law.censored:
        note += f", {law.censored} of them with a failure rate that never crosses {level:g}"
    return Measured(law.exponent, law.low, law.high, note)


def _ladder(cell: CellEvidence, size: float, event: str, per: str, level: float) -> Ladder:
    """Failures by what samples are divided by."""
    units: Mapping[str, Callable[[], float]] = {
        "one": lambda: 1.0,
        "size_and_log": lambda: size * math.log(size),
        "theory": lambda: cell.entry.metrics["theory_samples"],
        "union": lambda: size * float(norm.isf(-math.expm1(math.log1p(-level) / (size - 1)))) ** 2,
    }
    if per not in units:
        raise InputError("per", per, "one of " + ", ".join(units))
    samples, failed = cell.failure_table(event)
    return Ladder(size, samples / units[per](), failed.sum(axis=0), len(failed))


def _squared(cell: CellEvidence, error: str) -> np.ndarray:
    """Samples times the squared error, one number per replicate."""
    rows = cell.last_rung
    return np.asarray(rows["samples"].to_numpy(dtype=float) * rows[f"diagnostic_{error}"].to_numpy() ** 2)


def _why_not(
    cells: Sequence[CellEvidence], sizes: Sequence[float], needs: str, event: str, level: float
) -> str:
    if len(set(sizes)) < 3 or needs != "transition":
        return f"{len(cells)} cells of {len(set(sizes))} sizes are too few for an exponent"
    rates = [cell.failure_table(event)[1].mean(axis=0) for cell in cells]
    return (
        f"fewer than two sizes have a failure rate that crosses {level:g}: the first budgets fail at rates "
        f"{min(rate[0] for rate in rates):.3g} to {max(rate[0] for rate in rates):.3g}, the last ones at "
        f"{min(rate[-1] for rate in rates):.3g} to {max(rate[-1] for rate in rates):.3g}"
    )
