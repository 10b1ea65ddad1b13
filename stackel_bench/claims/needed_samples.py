"""How many samples sufficed, in units that a theorem is stated in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from stackel_bench.claims.evidence import CellEvidence, Measured, NotMeasurableError, paired_cells
from stackel_bench.claims.prediction import Prediction, combined
from stackel_bench.errors import InputError
from stackel_bench.statistics.crossing import samples_needed

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
    """Samples from which on failures stay at most the level, over AB/eps^2 or over what the theorem asks.

    The ends of an interval are budgets; one that is not shown leaves its side open. The cell closest to the
    limits is shown.
    """
    found = [
        samples_needed(*cell.failure_table(event), level, 1.0 - false_alarm / len(cells)) for cell in cells
    ]
    units = [_unit(cell, unit) for cell in cells]
    intervals = [
        (0.0 if math.isnan(n.low) else n.low / one, math.inf if math.isnan(n.high) else n.high / one)
        for n, one in zip(found, units, strict=True)
    ]
    rooms = [prediction.room(*interval) for interval in intervals]
    worst = rooms.index(min(rooms))
    verdict = combined([prediction.verdict(*interval) for interval in intervals])
    note = f"failure rate {level:g} reached; {len(cells)} cells, the one closest to the limits is shown"
    if any(n.censored for n in found):
        stuck = sum(n.censored for n in found)
        note = f"{stuck} of {len(cells)} cells fail more often than {level:g} even with the largest budget"
    elif any(n.at_most for n in found):
        early = sum(n.at_most for n in found)
        note += f"; {early} never fail with the smallest budget"
    return Measured(found[worst].estimate / units[worst], *intervals[worst], note, verdict)


def needed_ratio(
    cells: Sequence[CellEvidence],
    prediction: Prediction,
    false_alarm: float,
    *,
    of: Mapping[str, Any],
    over: Mapping[str, Any],
    level: float,
    event: str = "guarantee",
) -> Measured:
    """Samples that one kind of cells needs for this failure rate over those of another, game by game.

    Both are read off ladders, each with half of the false-alarm rate; the ends of the ratio's interval divide
    the ends of theirs. The game closest to the limits is shown.
    """
    pairs = paired_cells(cells, of, over)
    confidence = 1.0 - false_alarm / (2 * len(pairs))
    ratios, intervals = [], []
    for pair in pairs:
        top, bottom = (samples_needed(*cell.failure_table(event), level, confidence) for cell in pair)
        if top.censored and bottom.censored:
            raise NotMeasurableError(f"both fail more often than {level:g} with the largest budget")
        ratios.append(top.estimate / bottom.estimate)
        low = 0.0 if math.isnan(top.low) or math.isnan(bottom.high) else top.low / bottom.high
        high = math.inf if math.isnan(top.high) or math.isnan(bottom.low) else top.high / bottom.low
        intervals.append((low, high))
    rooms = [prediction.room(*interval) for interval in intervals]
    worst = rooms.index(min(rooms))
    verdict = combined([prediction.verdict(*interval) for interval in intervals])
    note = f"{len(pairs)} games, from {min(ratios):.3g} to {max(ratios):.3g}, at failure rate {level:g}"
    return Measured(ratios[worst], *intervals[worst], note, verdict)


def _unit(cell: CellEvidence, unit: str) -> float:
    if unit == "theory":
        return cell.entry.metrics["theory_samples"]
    if unit != "pairs_per_squared_epsilon":
        raise InputError("unit", unit, "one of " + ", ".join(UNITS))
    sizes = cell.entry.description
    pairs = float(sizes["num_leader_actions"]) * float(sizes["num_follower_actions"])
    return pairs / float(cell.setting("budget.epsilon")) ** 2
