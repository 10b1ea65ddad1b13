"""Pessimistic against optimistic tie-breaking on the same samples: differences, replicate by replicate."""

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results.frames import rows_of
from stackel_bench.statistics.binomial import CONFIDENCE
from stackel_bench.statistics.differences import mcnemar, paired_difference

MOST_PAIRS = 100
PESSIMISTIC, OPTIMISTIC = "pessimistic", "optimistic"


@functools.lru_cache(2)  # terminal, report and MLflow show the same
def paired_table(results: SweepResults) -> tuple[pd.DataFrame, int]:
    """Two rows per pair (middle and full budget; one if there is one budget), and how many pairs exist.

    All differences are optimistic minus pessimistic, so positive means that pessimistic did better. Losses
    are measured against each rule's own optimum. Columns *_all hold for all rows together (Bonferroni).
    """
    both = pairs(results)
    first = [rows_of(cells.head(MOST_PAIRS)) for cells in both]
    found = [stage for pair in zip(*first, strict=True) for stage in _stages(results, *pair)]
    rows = [described | _compared(*at_rung, len(found)) for described, at_rung in found]
    return pd.DataFrame(rows), len(both[0])


@functools.lru_cache(2)
def pairs(results: SweepResults) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The cells that saw the same samples, pessimistic and optimistic, row by row in the plan's order."""
    if results.cells.empty:
        return results.cells, results.cells
    rows = results.labelled(results.cells)
    rows = rows[rows.groupby("pair")["pair"].transform("size") == 2].set_index("pair")
    pessimistic, optimistic = (rows[rows["tie_breaking"] == tie] for tie in (PESSIMISTIC, OPTIMISTIC))
    return pessimistic.loc[rows.index.unique()], optimistic.loc[rows.index.unique()]


def _stages(
    results: SweepResults, pessimistic: Mapping[str, Any], optimistic: Mapping[str, Any]
) -> Iterator[tuple[dict[str, Any], tuple[pd.DataFrame, pd.DataFrame]]]:
    """Full and middle budget of a pair: which one it is, and the records of both cells row by row."""
    first, second = (results.tables.read_records(cell["cell_id"]) for cell in (pessimistic, optimistic))
    last = int(first["rung"].max())
    for stage, rung in [("full", last), ("middle", last // 2)][: 2 if last else 1]:
        at_rung = first[first["rung"] == rung], second[second["rung"] == rung]
        assert np.array_equal(at_rung[0]["replicate"], at_rung[1]["replicate"])
        described = {
            "game": pessimistic["instance"],
            "learner": pessimistic["learner"],
            "epsilon": float(pessimistic["epsilon"]),
            "budget": stage,
            "samples": float(at_rung[0]["samples"].mean()),
            "replicates": len(at_rung[0]),
        }
        yield described, at_rung


def _compared(pessimistic: pd.DataFrame, optimistic: pd.DataFrame, comparisons: int) -> dict[str, Any]:
    """Differences of losses and of failures, alone and for all comparisons at once, and who wins by them."""
    both = pessimistic, optimistic
    pess, opt = (records["value_suboptimality"].to_numpy() for records in both)
    failed = [~records["guarantee_held"].to_numpy() for records in both]
    largest = float(max(records["largest_loss"].max() for records in both))
    loss = paired_difference(pess, opt, 0.0, largest)
    loss_all = paired_difference(pess, opt, 0.0, largest, 1 - (1 - CONFIDENCE) / comparisons)
    failure = paired_difference(failed[0], failed[1], 0.0, 1.0)
    only = [int((mine & ~other).sum()) for mine, other in (failed, failed[::-1])]
    p_value = mcnemar(only[0], only[1])
    p_value_all = min(1.0, p_value * comparisons)
    fewer = PESSIMISTIC if failure.difference > 0 else OPTIMISTIC
    return {
        "loss_difference": loss.difference,
        "loss_difference_low": loss.low,
        "loss_difference_high": loss.high,
        "only_pessimistic_failed": only[0],
        "only_optimistic_failed": only[1],
        "failure_difference": failure.difference,
        "failure_difference_low": failure.low,
        "failure_difference_high": failure.high,
        "failure_p_value": p_value,
        "loss_difference_low_all": loss_all.low,
        "loss_difference_high_all": loss_all.high,
        "smaller_loss": PESSIMISTIC if loss_all.low > 0 else OPTIMISTIC if loss_all.high < 0 else "open",
        "failure_p_value_all": p_value_all,
        "fewer_failures": fewer if p_value_all <= 1 - CONFIDENCE else "open",
    }
