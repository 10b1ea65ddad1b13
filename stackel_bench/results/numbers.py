"""Numbers as people read them in tables."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from stackel_bench.results.columns import AT_MOST, CENSORED, NEEDED, NEEDED_HIGH, NEEDED_LOW
from stackel_bench.statistics.ratios import Pooled

NEEDED_MARKS = (
    ">: even the largest budget fails more often than delta. ≤: the smallest never failed, fewer samples may "
    "do. –: no ladder of budgets, or an end of the interval that is open."
)
UNDECIDED = "undecided"


def count(value: float) -> str:
    """A sample count: a whole number from 100 to 10,000, then two decimals and a power of ten."""
    if not math.isfinite(value):
        return "–"
    if value < 10_000:
        is_whole = math.isclose(value, round(value))
        return f"{value:.0f}" if is_whole or value >= 100 else f"{value:.1f}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def about(seconds: float) -> str:
    """An estimate of a time to wait."""
    return duration(seconds) if seconds < 1 else f"about {duration(seconds)}"


def duration(seconds: float) -> str:
    """A time to wait, in the unit that people would use."""
    if seconds < 1:
        return "less than 1 s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


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
    """The samples that a cell needs; > if the largest budget does not do, ≤ if the smallest never failed.

    Those used where all replicates stopped by themselves; – elsewhere without a ladder of budgets.
    """
    if row.get("certified") == 1:
        return count(row[NEEDED])
    at_most = row.get(AT_MOST, math.nan)
    if at_most is None or not math.isfinite(at_most):
        return "–"
    return (">" if row[CENSORED] == 1 else "≤" if at_most == 1 else "") + count(row[NEEDED])


def needed_interval(row: Mapping[Any, Any]) -> str:
    """The budgets between which samples needed are shown to lie; – without a ladder, and for open ends."""
    ends = [count(row.get(name, math.nan)) for name in (NEEDED_LOW, NEEDED_HIGH)]
    return "–" if needed(row) == "–" or set(ends) == {"–"} else f"[{', '.join(ends)}]"


def needed_with_interval(row: Mapping[Any, Any]) -> str:
    """The samples that a cell needs with their interval, if an end of it is known."""
    return f"{needed(row)} {needed_interval(row)}".removesuffix(" –")


def enough(cells: pd.DataFrame) -> tuple[int, str]:
    """In how many cells a budget of a ladder sufficed, and its share of the theorem's (their median)."""
    ladders = cells[cells[AT_MOST].notna() & (cells[CENSORED] == 0)]
    if ladders.empty:
        return 0, ""
    ratio = float((ladders["theory_samples"] / ladders[NEEDED]).median())
    return len(ladders), f"1/{count(round(ratio))}" if ratio >= 1.5 else f"{1 / ratio:.2g}"


def span(values: pd.Series) -> str:
    """The smallest and the largest of whole numbers, or the one that all of them are."""
    low, high = values.min(), values.max()
    return f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"


def ratio(found: Pooled) -> str:
    """How many times: with its interval, or the limit that is known."""
    if not found.is_known:
        return UNDECIDED
    if found.low > 0 and found.high < math.inf:
        return f"{figures(found.ratio)} [{figures(found.low)}, {figures(found.high)}]"
    return f"more than {figures(found.low)}" if found.low > 0 else f"less than {figures(found.high)}"


def figures(value: float) -> str:
    """A positive number with two figures: 0.034, 1.4, 17, 230, 1.2e5."""
    if not 1e-3 <= value < 9950:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{float(f'{value:.2g}'):g}"
