"""Pessimistic against optimistic tie-breaking on the same samples: differences, replicate by replicate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import beta, binom, t

from stackel_bench.evaluation.intervals import CONFIDENCE, mean_interval
from stackel_bench.reporting.sweep_results import SweepResults

MOST_PAIRS = 100
PESSIMISTIC, OPTIMISTIC = "pessimistic", "optimistic"


def paired_table(results: SweepResults) -> tuple[pd.DataFrame, int]:
    """Two rows per pair (middle and full budget; one if there is one budget), and how many pairs exist.

    All differences are optimistic minus pessimistic, so positive means that pessimistic did better. Losses
    are measured against each rule's own optimum. Columns *_all hold for all rows together (Bonferroni).
    """
    pairs = _pairs(results)
    rows = [row for pair in pairs[:MOST_PAIRS] for row in _compare(results, *pair)]
    for row in rows:
        row |= _simultaneous(row, len(rows))
    return pd.DataFrame(rows).drop(columns="loss_deviation", errors="ignore"), len(pairs)


def _pairs(results: SweepResults) -> list[tuple[pd.Series, pd.Series]]:
    if results.cells.empty:
        return []
    found = []
    for _, members in results.labelled(results.cells).groupby("pair", sort=False):
        if len(members) == 2:
            rows = members.sort_values("tie_breaking", ascending=False)  # pessimistic first
            found.append((rows.iloc[0], rows.iloc[1]))
    return found


def _compare(results: SweepResults, pessimistic: pd.Series, optimistic: pd.Series) -> Iterator[dict]:
    first, second = results.records(pessimistic["cell_id"]), results.records(optimistic["cell_id"])
    both = first.merge(second, on=["replicate", "rung"], suffixes=("_pess", "_opt"), validate="one_to_one")
    last = int(both["rung"].max())
    for stage, rung in [("full", last), ("middle", last // 2)][: 2 if last else 1]:
        at_rung = both[both["rung"] == rung]
        losses = (at_rung["value_suboptimality_opt"] - at_rung["value_suboptimality_pess"]).to_numpy()
        only_pess = int((~at_rung["guarantee_held_pess"] & at_rung["guarantee_held_opt"]).sum())
        only_opt = int((at_rung["guarantee_held_pess"] & ~at_rung["guarantee_held_opt"]).sum())
        low, high = mean_interval(losses)
        failure_low, failure_high = discordance_interval(only_pess, only_opt, len(at_rung))
        yield {
            "game": pessimistic["instance"],
            "learner": pessimistic["learner"],
            "epsilon": float(pessimistic["epsilon"]),
            "budget": stage,
            "samples": float(at_rung["samples_pess"].mean()),
            "replicates": len(at_rung),
            "loss_difference": float(losses.mean()),
            "loss_difference_low": low,
            "loss_difference_high": high,
            "loss_deviation": float(losses.std(ddof=1)) if len(losses) > 1 else np.nan,
            "only_pessimistic_failed": only_pess,
            "only_optimistic_failed": only_opt,
            "failure_difference": (only_opt - only_pess) / len(at_rung),
            "failure_difference_low": failure_low,
            "failure_difference_high": failure_high,
            "failure_p_value": mcnemar(only_pess, only_opt),
        }


def _simultaneous(row: dict, comparisons: int) -> dict[str, float | str]:
    """Intervals that hold for all comparisons at once, and who wins by them."""
    n = row["replicates"]
    width = 0.0
    if n > 1:
        quantile = float(t.ppf(1 - (1 - CONFIDENCE) / (2 * comparisons), n - 1))
        width = quantile * row["loss_deviation"] / float(np.sqrt(n))
    low, high = row["loss_difference"] - width, row["loss_difference"] + width
    smaller_loss = PESSIMISTIC if low > 0 else OPTIMISTIC if high < 0 else "open"
    p_value = min(1.0, row["failure_p_value"] * comparisons)
    fewer = PESSIMISTIC if row["failure_difference"] > 0 else OPTIMISTIC
    return {
        "loss_difference_low_all": low,
        "loss_difference_high_all": high,
        "smaller_loss": smaller_loss,
        "failure_p_value_all": p_value,
        "fewer_failures": fewer if p_value <= 1 - CONFIDENCE else "open",
    }


def discordance_interval(only_first: int, only_second: int, trials: int) -> tuple[float, float]:
    """At least 95 % for P(only second) - P(only first): two exact intervals at 97.5 %, subtracted."""
    tail = (1 - CONFIDENCE) / 4

    def exact(count: int) -> tuple[float, float]:
        low = 0.0 if count == 0 else float(beta.ppf(tail, count, trials - count + 1))
        high = 1.0 if count == trials else float(beta.ppf(1 - tail, count + 1, trials - count))
        return low, high

    first_low, first_high = exact(only_first)
    second_low, second_high = exact(only_second)
    return second_low - first_high, second_high - first_low


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact two-sided p-value of equal failure probabilities, from the discordant replicates alone."""
    discordant = only_first + only_second
    return (
        float(min(1.0, 2 * binom.cdf(min(only_first, only_second), discordant, 0.5))) if discordant else 1.0
    )
