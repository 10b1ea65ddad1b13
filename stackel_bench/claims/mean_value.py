"""Means of a column of the records, alone or compared between learners on the same games."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import norm

from stackel_bench.claims.evidence import CellEvidence, Measured, closest, paired_cells
from stackel_bench.claims.prediction import Prediction
from stackel_bench.errors import InputError
from stackel_bench.statistics.bounded_mean import mean_interval


def mean_value(
    cells: Sequence[CellEvidence], prediction: Prediction, false_alarm: float, *, column: str
) -> Measured:
    """The mean at the largest budget, in the cell worst for the claim; the range of values is known."""
    confidence = 1.0 - false_alarm / len(cells)
    values = [cell.last_rung[column].to_numpy(dtype=float) for cell in cells]
    intervals = [
        mean_interval(found, *_range(cell, column), confidence)
        for found, cell in zip(values, cells, strict=True)
    ]
    return closest([float(found.mean()) for found in values], intervals, prediction, f"{len(cells)} cells")


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
    pairs = paired_cells(cells, of, minus)
    confidence = 1.0 - false_alarm / len(pairs)
    means, intervals = [], []
    for first, second in pairs:
        left, right = (cell.last_rung[column].to_numpy(dtype=float) for cell in (first, second))
        (low, high), (other_low, other_high) = _range(first, column), _range(second, column)
        means.append(float((left - right).mean()))
        intervals.append(mean_interval(left - right, low - other_high, high - other_low, confidence))
    return closest(means, intervals, prediction, f"{len(pairs)} pairs of cells")


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
    for first, second in paired_cells(cells, of, over):
        (top, top_error), (bottom, bottom_error) = (
            _mean(cell.last_rung["samples"].to_numpy(dtype=float)) for cell in (first, second)
        )
        logs.append(math.log(top / bottom))
        errors.append(math.hypot(top_error / top, bottom_error / bottom))
        shown.append(top / bottom)
    half = float(norm.isf(false_alarm / 2)) * math.sqrt(sum(error**2 for error in errors)) / len(errors)
    middle = sum(logs) / len(logs)
    note = f"{len(logs)} games, from {min(shown):.3g} to {max(shown):.3g}"
    return Measured(math.exp(middle), math.exp(middle - half), math.exp(middle + half), note)


def _range(cell: CellEvidence, column: str) -> tuple[float, float]:
    """The least and the largest value that the column can have on the cell's game."""
    first = cell.last_rung.iloc[0]
    largest = float(first["largest_loss"])
    if column == "value_suboptimality":
        return 0.0, largest
    if column != "value":
        raise InputError("column", column, "value or value_suboptimality, whose ranges are known")
    optimum = float(first["value"] + first["value_suboptimality"])
    return optimum - largest, optimum


def _mean(values: np.ndarray) -> tuple[float, float]:
    """The mean and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))
