"""How many samples sufficed, in units that a theorem is stated in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import norm

from stackel_bench.claims.evidence import CellEvidence, Measured
from stackel_bench.claims.prediction import Prediction, combined
from stackel_bench.claims.transition import crossings
from stackel_bench.errors import InputError

UNITS = ("pairs_per_squared_epsilon", "theory")


def needed_samples(
    cells: Sequence[CellEvidence],
    prediction: Prediction,
    false_alarm: float,
    *,
    unit: str,
    level: float,
    event: str = "leader",
) -> Measured:
    """Samples at which the failure rate falls below the level, over AB/eps^2 or over what the theorem asks.

    Intervals are normal in ln n, from resampled replicates; the cell closest to the limits is shown.
    """
    z = float(norm.isf(false_alarm / (2 * len(cells))))
    values, intervals = [], []
    for cell in cells:
        found, resampled = crossings(cell, event, level)
        shift = np.log(_unit(cell, unit))
        half = z * float(np.std(resampled, ddof=1))
        values.append(float(np.exp(found - shift)))
        intervals.append((float(np.exp(found - shift - half)), float(np.exp(found - shift + half))))
    rooms = [prediction.room(*interval) for interval in intervals]
    worst = rooms.index(min(rooms))
    verdict = combined([prediction.verdict(*interval) for interval in intervals])
    note = f"failure rate {level:g} reached; {len(cells)} cells, the one closest to the limits is shown"
    return Measured(values[worst], *intervals[worst], note, verdict)


def _unit(cell: CellEvidence, unit: str) -> float:
    if unit == "theory":
        return cell.entry.metrics["theory_samples"]
    if unit != "pairs_per_squared_epsilon":
        raise InputError("unit", unit, "one of " + ", ".join(UNITS))
    sizes = cell.entry.description
    pairs = float(sizes["num_leader_actions"]) * float(sizes["num_follower_actions"])
    return pairs / float(cell.setting("budget.epsilon")) ** 2
