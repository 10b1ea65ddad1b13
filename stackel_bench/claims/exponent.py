"""Growth exponents: the slope of ln(samples needed) against ln(a size of the game or epsilon)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import norm

from stackel_bench import streams
from stackel_bench.claims.evidence import CellEvidence, Measured
from stackel_bench.claims.prediction import Prediction
from stackel_bench.claims.transition import RESAMPLES, crossings
from stackel_bench.errors import InputError

NEEDS = ("transition", "samples", "theory", "uniform_error")


def exponent(
    cells: Sequence[CellEvidence],
    prediction: Prediction,
    false_alarm: float,
    *,
    against: str,
    needs: str = "transition",
    event: str = "leader",
    level: float = 0.1,
) -> Measured:
    """d ln(needed) / d ln(against), by least squares over all cells.

    needs says what is taken for the samples needed: `transition`, where the failure rate crosses the level on
    a ladder; `samples`, what the learner used; `theory`, what its theorem asks for; `uniform_error`, n times
    the squared error of all policies' values (which falls like 1/sqrt(n)). Interval: normal, from resampled
    replicates and, where several games have the same size, resampled games.
    """
    positions = np.log([float(cell.setting(against)) for cell in cells])
    if np.ptp(positions) == 0:
        raise InputError("against", against, "a key that differs between the cells")
    found, resampled = zip(*[_needed(cell, needs, event, level) for cell in cells], strict=True)
    slope = float(np.polyfit(positions, found, 1)[0])
    spread = _spread(positions, np.array(resampled)) if needs != "theory" else 0.0
    half = float(norm.isf(false_alarm / 2)) * spread
    ends = (math.exp(values) for values in (positions.min(), positions.max()))
    note = f"slope over {against} from {next(ends):g} to {next(ends):g}, {len(cells)} cells"
    return Measured(slope, slope - half, slope + half, note)


def _needed(cell: CellEvidence, needs: str, event: str, level: float) -> tuple[float, np.ndarray]:
    """ln(needed) and its resamples."""
    if needs == "transition":
        return crossings(cell, event, level)
    if needs == "theory":
        value = math.log(cell.entry.metrics["theory_samples"])
        return value, np.full(RESAMPLES, value)
    rows = cell.last_rung
    amounts = rows["samples"].to_numpy(dtype=float)
    if needs == "uniform_error":
        amounts = amounts * rows["diagnostic_uniform_error"].to_numpy() ** 2
    elif needs != "samples":
        raise InputError("needs", needs, "one of " + ", ".join(NEEDS))
    rng = streams.generator("exponent", cell.entry.cell_id)
    weights = rng.multinomial(len(amounts), np.full(len(amounts), 1 / len(amounts)), size=RESAMPLES)
    return float(np.log(amounts.mean())), np.log(weights @ amounts / len(amounts))


def _spread(positions: np.ndarray, resampled: np.ndarray) -> float:
    """The standard deviation of the slope when replicates, and games of equal size, are drawn again."""
    rng = streams.generator("games of equal size", len(positions))
    equal = [np.flatnonzero(positions == position) for position in np.unique(positions)]
    slopes = []
    for resample in range(resampled.shape[1]):
        drawn = np.concatenate([rng.choice(group, size=len(group)) for group in equal])
        slopes.append(np.polyfit(positions[drawn], resampled[drawn, resample], 1)[0])
    return float(np.std(slopes, ddof=1))
