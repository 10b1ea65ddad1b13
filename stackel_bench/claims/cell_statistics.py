"""What the records of cells tell: rates, means and samples needed, each with its interval.

Every statistic is asked with a prediction and the probability that its interval may miss the truth, which
cells share; of several cells the one that is worst for the claim is shown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
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
from stackel_bench.statistics.binomial import lower_limit, upper_limit
from stackel_bench.statistics.bounded_mean import mean_interval
from stackel_bench.statistics.crossing import SamplesNeeded, samples_needed

UNITS = ("pairs_per_squared_epsilon", "theory")


def failure_rate(
    cells: Sequence[CellEvidence],
    prediction: Prediction,
    false_alarm: float,
    *,
    event: str = "guarantee",
    level: float = 1.0,
    worst_over: Sequence[str] = (),
) -> Measured:
    """The rate in the cell that comes closest to contradicting the prediction; every cell must agree with it.

    worst_over names keys: of cells that differ in these alone only the one with the highest rate counts (a
    lower bound speaks of one game of a family). Clopper-Pearson intervals, false_alarm shared by all cells.
    """
    counts = [(int(failed.sum()), len(failed)) for failed in (cell.failures(event, level) for cell in cells)]
    keys = [cell.settings_without(worst_over) for cell in cells]
    intervals = [rate_interval(*count, false_alarm / len(counts)) for count in counts]
    rates = [failures / trials for failures, trials in counts]
    groups = [[i for i, key in enumerate(keys) if key == wanted] for wanted in dict.fromkeys(keys)]
    highest = [(max(intervals[i][0] for i in group), max(intervals[i][1] for i in group)) for group in groups]
    runs = sum(trials for _, trials in counts)
    note = f"{runs} runs" + (f" of {len(counts)} cells" if len(counts) > 1 else "")
    return closest(
        [max(rates[i] for i in group) for group in groups], highest, [prediction] * len(highest), note
    )


def rate_interval(failures: int, trials: int, false_alarm: float) -> tuple[float, float]:
    """The exact two-sided interval of a probability at confidence 1 - false_alarm."""
    tail = false_alarm / 2
    return float(lower_limit(failures, trials, tail)), float(upper_limit(failures, trials, tail))


def mean_value(
    cells: Sequence[CellEvidence], prediction: Prediction, false_alarm: float, *, column: str
) -> Measured:
    """The mean at the largest budget, in the cell worst for the claim; the range of values is known.

    What is predicted may depend on the cell's epsilon.
    """
    found = [_values(cell, column) for cell in cells]
    return _closest_mean(found, _at(prediction, cells), false_alarm, f"{len(cells)} cells")


def paired_difference(
    cells: Sequence[CellEvidence],
    prediction: Prediction,
    false_alarm: float,
    *,
    of: Mapping[str, Any],
    minus: Mapping[str, Any],
    column: str,
) -> Measured:
    """Mean difference of a column between two kinds of cells that agree in everything else, same samples."""
    found, pairs = [], paired_cells(cells, of, minus)
    for pair in pairs:
        (left, low, high), (right, other_low, other_high) = (_values(cell, column) for cell in pair)
        found.append((left - right, low - other_high, high - other_low))
    predictions = _at(prediction, [first for first, _ in pairs])
    return _closest_mean(found, predictions, false_alarm, f"{len(found)} pairs of cells")


def _at(prediction: Prediction, cells: Sequence[CellEvidence]) -> list[Prediction]:
    """What is predicted of each cell, at its epsilon."""
    return [prediction.at(float(cell.setting("budget.epsilon"))) for cell in cells]


def _closest_mean(
    found: Sequence[tuple[np.ndarray, float, float]],
    predictions: Sequence[Prediction],
    false_alarm: float,
    note: str,
) -> Measured:
    """Of the means of several columns of values, each with the ends of its range."""
    intervals = [mean_interval(*column, 1.0 - false_alarm / len(found)) for column in found]
    return closest([float(values.mean()) for values, _, _ in found], intervals, predictions, note)


def _values(cell: CellEvidence, column: str) -> tuple[np.ndarray, float, float]:
    """The column at the largest budget, with the least and the largest value it can have on the game."""
    rows = cell.last_rung
    first = rows.iloc[0]
    low, high = 0.0, float(first["largest_loss"])
    if column == "value":
        optimum = float(first["value"] + first["value_suboptimality"])
        low, high = optimum - high, optimum
    elif column != "value_suboptimality":
        raise InputError("column", column, "value or value_suboptimality, whose ranges are known")
    return rows[column].to_numpy(dtype=float), low, high


def sample_ratio(
    cells: Sequence[CellEvidence],
    prediction: Prediction,
    false_alarm: float,
    *,
    of: Mapping[str, Any],
    over: Mapping[str, Any],
) -> Measured:
    """Mean samples of one kind of cells over another's on the same game: the geometric mean over games.

    The interval is that of the mean of ln ratios with the replicates' spread (delta method): it holds for
    many replicates, and its false-alarm rate is nominal.
    """
    logs, errors, shown = [], [], []
    for pair in paired_cells(cells, of, over):
        (top, top_error), (bottom, bottom_error) = (_mean_samples(cell) for cell in pair)
        logs.append(math.log(top / bottom))
        errors.append(math.hypot(top_error / top, bottom_error / bottom))
        shown.append(top / bottom)
    half = float(norm.isf(false_alarm / 2)) * math.sqrt(sum(error**2 for error in errors)) / len(errors)
    middle = sum(logs) / len(logs)
    note = f"{len(logs)} games, from {min(shown):.3g} to {max(shown):.3g}"
    return Measured(math.exp(middle), math.exp(middle - half), math.exp(middle + half), note)


def _mean_samples(cell: CellEvidence) -> tuple[float, float]:
    """The mean of the samples used at the largest budget, and its standard error."""
    used = cell.last_rung["samples"].to_numpy(dtype=float)
    return float(used.mean()), float(used.std(ddof=1) / math.sqrt(len(used)))


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

    The ends of an interval are budgets; one that is not shown leaves its side open.
    """
    confidence, units = 1.0 - false_alarm / len(cells), [_unit(cell, unit) for cell in cells]
    found = [samples_needed(*cell.failure_table(event), level, confidence) for cell in cells]
    intervals = [(low / one, high / one) for (low, high), one in zip(map(_ends, found), units, strict=True)]
    note = f"failure rate {level:g} reached; {len(cells)} cells"
    if stuck := sum(n.censored for n in found):
        note = f"{stuck} of {len(cells)} cells fail more often than {level:g} even with the largest budget"
    elif early := sum(n.at_most for n in found):
        note += f"; {early} never fail with the smallest budget"
    values = [n.estimate / one for n, one in zip(found, units, strict=True)]
    return closest(values, intervals, [prediction] * len(values), note)


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
    uses, if it fails rarely enough. The ends of the ratio's interval divide the ends of theirs.
    """
    pairs = paired_cells(cells, of, over)
    confidence = 1.0 - false_alarm / (2 * len(pairs))
    ratios, intervals, words = [], [], []
    for pair, name in zip(pairs, distinct_game_names([first.config for first, _ in pairs]), strict=True):
        top, bottom = (_needed(cell, event, level, confidence) for cell in pair)
        if top.censored and bottom.censored:
            raise NotMeasurableError(f"both fail more often than {level:g} with the largest budget")
        ratio, (top_low, top_high), (bottom_low, bottom_high) = (
            top.estimate / bottom.estimate,
            _ends(top),
            _ends(bottom),
        )
        low, high = top_low / bottom_high, top_high / bottom_low if bottom_low else math.inf
        ratios.append(ratio)
        intervals.append((low, high))
        words.append(f"{name} {ratio:.3g} [{low:.3g}, {high:.3g}]")
    note = f"at failure rate {level:g}: " + ", ".join(words)
    return closest(ratios, intervals, [prediction] * len(ratios), note)


def _needed(cell: CellEvidence, event: str, level: float, confidence: float) -> SamplesNeeded:
    """From the ladder; of a learner that stops by itself the mean used, with its normal interval."""
    samples, failed = cell.failure_table(event)
    if len(samples) > 1:
        return samples_needed(samples, failed, level, confidence)
    if failed.mean() > level:
        raise NotMeasurableError(f"the learner stops too early: it fails at rate {failed.mean():.3g}")
    mean, error = _mean_samples(cell)
    half = float(norm.isf((1 - confidence) / 2)) * error
    return SamplesNeeded(mean, mean - half, mean + half, censored=False, at_most=False)


def _ends(needed: SamplesNeeded) -> tuple[float, float]:
    """Its interval, from 0 or to infinity where that does not close."""
    low, high = needed.low, needed.high
    return 0.0 if math.isnan(low) else low, math.inf if math.isnan(high) else high


def _unit(cell: CellEvidence, unit: str) -> float:
    if unit == "theory":
        return cell.entry.metrics["theory_samples"]
    if unit != "pairs_per_squared_epsilon":
        raise InputError("unit", unit, "one of " + ", ".join(UNITS))
    sizes = cell.entry.description
    pairs = float(sizes["num_leader_actions"]) * float(sizes["num_follower_actions"])
    return pairs / float(cell.setting("budget.epsilon")) ** 2
