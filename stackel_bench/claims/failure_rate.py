"""How often something goes wrong, with exact binomial intervals, over one or many cells."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.stats import beta

from stackel_bench.claims.evidence import CellEvidence, Measured, closest
from stackel_bench.claims.prediction import Prediction


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
    return closest([max(rates[i] for i in group) for group in groups], highest, prediction, note)


def rate_interval(failures: int, trials: int, false_alarm: float) -> tuple[float, float]:
    """The exact two-sided interval of a probability at confidence 1 - false_alarm."""
    low = 0.0 if failures == 0 else float(beta.ppf(false_alarm / 2, failures, trials - failures + 1))
    high = 1.0 if failures == trials else float(beta.isf(false_alarm / 2, failures + 1, trials - failures))
    return low, high
