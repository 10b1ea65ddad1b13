"""How many samples sufficed, in units that a theorem is stated in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from scipy.stats import norm

from stackel_bench.claims.evidence import (
    CellEvidence,
    Measured,
    NotMeasurableError,
    closest,
    distinct_game_names,
    paired_cells,
)
from stackel_bench.claims.prediction import Prediction
from stackel_bench.errors import InputError
from stackel_bench.statistics.crossing import SamplesNeeded, samples_needed

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

    The ends of an interval are budgets; one that is not shown leaves its side open. The cell that is
    worst for the claim is shown.
    """
    found = [
        samples_needed(*cell.failure_table(event), level, 1.0 - false_alarm / len(cells)) for cell in cells
    ]
    units = [_unit(cell, unit) for cell in cells]
    intervals = [
        (0.0 if math.isnan(n.low) else n.low / one, math.inf if math.isnan(n.high) else n.high / one)
        for n, one in zip(found, units, strict=True)
    ]
    note = f"failure rate {level:g} reached; {len(cells)} cells"
    if any(n.censored for n in found):
        stuck = sum(n.censored for n in found)
        note = f"{stuck} of {len(cells)} cells fail more often than {level:g} even with the largest budget"
    elif any(n.at_most for n in found):
        early = sum(n.at_most for n in found)
        note += f"; {early} never fail with the smallest budget"
    values = [n.estimate / one for n, one in zip(found, units, strict=True)]
    return closest(values, intervals, prediction, note)


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

    Read off ladders, each with half of the false-alarm rate; a learner that stops by itself needs what it
    uses, if it fails rarely enough. The ends of the ratio's interval divide the ends of theirs. The game
    that is worst for the claim is shown.
    """
    pairs = paired_cells(cells, of, over)
    confidence = 1.0 - false_alarm / (2 * len(pairs))
    ratios, intervals = [], []
    for pair in pairs:
        top, bottom = (_needed(cell, event, level, confidence) for cell in pair)
        if top.censored and bottom.censored:
            raise NotMeasurableError(f"both fail more often than {level:g} with the largest budget")
        ratios.append(top.estimate / bottom.estimate)
        low = 0.0 if math.isnan(top.low) or math.isnan(bottom.high) else top.low / bottom.high
        high = math.inf if math.isnan(top.high) or math.isnan(bottom.low) else top.high / bottom.low
        intervals.append((low, high))
    names = distinct_game_names([first.config for first, _ in pairs])
    each = (
        f"{name} {ratio:.3g} [{low:.3g}, {high:.3g}]"
        for name, ratio, (low, high) in zip(names, ratios, intervals, strict=True)
    )
    note = f"at failure rate {level:g}: " + ", ".join(each)
    return closest(ratios, intervals, prediction, note)


def _needed(cell: CellEvidence, event: str, level: float, confidence: float) -> SamplesNeeded:
    """From the ladder; of a learner that stops by itself the mean used, with its normal interval."""
    samples, failed = cell.failure_table(event)
    if len(samples) > 1:
        return samples_needed(samples, failed, level, confidence)
    if failed.mean() > level:
        raise NotMeasurableError(f"the learner stops too early: it fails at rate {failed.mean():.3g}")
    used = cell.last_rung["samples"].to_numpy(dtype=float)
    half = float(norm.isf((1 - confidence) / 2)) * float(used.std(ddof=1)) / math.sqrt(len(used))
    mean = float(used.mean())
    return SamplesNeeded(mean, mean - half, mean + half, censored=False, at_most=False)


def _unit(cell: CellEvidence, unit: str) -> float:
    if unit == "theory":
        return cell.entry.metrics["theory_samples"]
    if unit != "pairs_per_squared_epsilon":
        raise InputError("unit", unit, "one of " + ", ".join(UNITS))
    sizes = cell.entry.description
    pairs = float(sizes["num_leader_actions"]) * float(sizes["num_follower_actions"])
    return pairs / float(cell.setting("budget.epsilon")) ** 2
