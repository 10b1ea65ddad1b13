"""From a cell's records (one row per replicate and rung) to the numbers that are tracked and plotted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from stackel_bench.evaluation.intervals import binomial_interval, mean_interval
from stackel_bench.evaluation.verdict import Verdict
from stackel_bench.learners.learner import Decision

SHOWN_STRATEGY = 3  # mixed strategies over so many actions can be drawn, so records keep them


def record_row(replicate: int, rung: int, decision: Decision, verdict: Verdict) -> dict[str, Any]:
    """One replicate at one rung, flat."""
    response, strategy = decision.follower_response, decision.leader_strategy
    shown = () if strategy is None or len(strategy) > SHOWN_STRATEGY else strategy
    return {
        "replicate": replicate,
        "rung": rung,
        "samples": decision.samples,
        "leader_action": decision.leader_action,
        "follower_response": response if isinstance(response, int) else None,
        "estimated_value": decision.estimated_value,
        "value": verdict.value,
        "value_suboptimality": verdict.value_suboptimality,
        "follower_suboptimality": verdict.follower_suboptimality,
        "gap": verdict.gap,
        "guarantee": verdict.guarantee,
        "leader_guarantee_held": verdict.leader_guarantee_held,
        "follower_guarantee_held": verdict.follower_guarantee_held,
        "guarantee_held": verdict.guarantee_held,
        **{f"strategy_{action}": float(weight) for action, weight in enumerate(shown)},
        **{f"diagnostic_{name}": float(value) for name, value in decision.diagnostics.items()},
    }


def summarise_rung(records: pd.DataFrame) -> dict[str, float]:
    """Failure probability and losses of one rung, with intervals."""
    trials = len(records)
    failures = int((~records["guarantee_held"]).sum())
    low, high = binomial_interval(failures, trials)
    losses = records["value_suboptimality"].to_numpy()
    mean_low, mean_high = mean_interval(losses)
    summary = {
        "samples": float(records["samples"].mean()),
        "failure_probability": failures / trials,
        "failure_probability_low": low,
        "failure_probability_high": high,
        "leader_failure_probability": float((~records["leader_guarantee_held"]).mean()),
        "follower_failure_probability": float((~records["follower_guarantee_held"]).mean()),
        "value_suboptimality": float(losses.mean()),
        "value_suboptimality_low": mean_low,
        "value_suboptimality_high": mean_high,
        "value_suboptimality_median": float(np.median(losses)),
        "value_suboptimality_q95": float(np.quantile(losses, 0.95)),
        "follower_suboptimality": float(records["follower_suboptimality"].mean()),
        "gap": float(records["gap"].iloc[0]),
        "guarantee": float(records["guarantee"].iloc[0]),
    }
    diagnostics = [name for name in records.columns if name.startswith("diagnostic_")]
    means = {name: float(records[name].mean()) for name in diagnostics}
    return summary | {name: mean for name, mean in means.items() if np.isfinite(mean)}


def summarise(records: pd.DataFrame, delta: float) -> tuple[dict[str, float], list[dict[str, float]]]:
    """Headline metrics of a cell (those of its largest budget) and the metrics of every rung."""
    rungs = [summarise_rung(group) for _, group in records.groupby("rung", sort=True)]
    return rungs[-1] | sample_complexity(rungs, delta), rungs


def sample_complexity(rungs: Iterable[Mapping[str, float]], delta: float) -> dict[str, float]:
    """Samples that sufficed: the smallest rung whose failure probability is at most delta.

    Its interval runs from the first rung that cannot be excluded (lower limit at most delta) to the first
    one that is proven (upper limit at most delta). Where no rung qualifies, the number is the largest budget
    and the flag censored is 1: the truth is larger. A cell with one rung reports what it used.
    """
    rungs = list(rungs)
    if len(rungs) == 1:
        used = rungs[0]["samples"]
        return {"sample_complexity": used, "sample_complexity_censored": 0.0}

    def first(metric: str) -> tuple[float, float]:
        reached = [rung["samples"] for rung in rungs if rung[metric] <= delta]
        return (reached[0], 0.0) if reached else (rungs[-1]["samples"], 1.0)

    value, censored = first("failure_probability")
    return {
        "sample_complexity": value,
        "sample_complexity_censored": censored,
        "sample_complexity_low": first("failure_probability_low")[0],
        "sample_complexity_high": first("failure_probability_high")[0],
        "sample_complexity_high_censored": first("failure_probability_high")[1],
    }
