"""Numbers as people read them in tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from stackel_bench.results.columns import AT_MOST, CENSORED, NEEDED


def count(value: float) -> str:
    """A sample count: in full below ten thousand, else with two decimals and a power of ten."""
    if not math.isfinite(value):
        return "–"
    if value < 10_000:
        return f"{value:.0f}" if value == round(value) else f"{value:.1f}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def small(value: float) -> str:
    """A loss or a probability: three decimals, and no tiny number passes for zero."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    if abs(value) < 0.0005:
        return f"{value:.0e}".replace("e-0", "e-")
    return f"{value:.3f}"


def interval(low: float, high: float) -> str:
    """[low, high]"""
    return f"[{small(low)}, {small(high)}]"


def needed(row: Mapping[Any, Any]) -> str:
    """The samples that a cell needs; > if even the largest budget does not do, < if the smallest one does.

    – without a ladder, and for learners that stop by themselves.
    """
    if row["budget"] != "ladder" or math.isfinite(row.get("samples_median", math.nan)):
        return "–"
    sign = ">" if row[CENSORED] == 1 else "<" if row.get(AT_MOST) == 1 else ""
    return sign + count(row[NEEDED])


def enough(cells: pd.DataFrame) -> tuple[int, str]:
    """In how many cells a budget of a ladder sufficed, and its share of the theorem's (median)."""
    ladders = cells[(cells["budget"] == "ladder") & (cells[CENSORED] == 0)]
    if "samples_median" in ladders:  # learners that stop by themselves have no ladder
        ladders = ladders[ladders["samples_median"].isna()]
    ratio = (ladders["theory_samples"] / ladders[NEEDED]).median()
    return len(ladders), f"1/{count(round(ratio))}" if len(ladders) else ""


def span(values: pd.Series) -> str:
    """The smallest and the largest of whole numbers, or the one that all of them are."""
    low, high = values.min(), values.max()
    return f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"
