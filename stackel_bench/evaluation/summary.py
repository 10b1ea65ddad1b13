"""From a cell's records (one row per replicate and rung) to the numbers that are tracked and plotted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from stackel_bench.evaluation.intervals import binomial_interval, mean_interval
from stackel_bench.evaluation.verdict import Judgement
from stackel_bench.learners.decision import Decisions

SHOWN_STRATEGY = 3  # mixed strategies over so many actions can be drawn, so records keep them


def record_columns(decisions: Decisions, judged: Judgement) -> dict[str, np.ndarray]:
    """The columns [R,K] of the records: what was decided, and what it is really worth."""
    shape = decisions.shape
    response, strategy = decisions.follower_response, decisions.leader_strategy
    shown = 0 if strategy is None or strategy.shape[-1] > SHOWN_STRATEGY else strategy.shape[-1]
    return {
        "samples": decisions.samples,
        **({} if decisions.leader_action is None else {"leader_action": decisions.leader_action}),
        **({"follower_response": response} if response.shape == shape else {}),  # else it is a policy
        "estimated_value": decisions.estimated_value,
        "value": judged.value,
        "value_suboptimality": judged.value_suboptimality,
        "follower_suboptimality": judged.follower_suboptimality,
        "gap": np.full(shape, judged.gap),
        "guarantee": np.full(shape, judged.guarantee),
        "leader_guarantee_held": judged.leader_guarantee_held,
        "follower_guarantee_held": judged.follower_guarantee_held,
        "guarantee_held": judged.leader_guarantee_held & judged.follower_guarantee_held,
        **{f"strategy_{action}": strategy[..., action] for action in range(shown) if strategy is not None},
        **{f"diagnostic_{name}": values for name, values in decisions.diagnostics.items()},
    }


def summarise(records: pd.DataFrame, delta: float) -> tuple[dict[str, float], list[dict[str, float]]]:
    """Headline metrics of a cell (those of its largest budget) and the metrics of every rung.

    Records are in the order of replicates, each with its rungs in order.
    """
    rungs = int(records["rung"].iloc[-1]) + 1
    columns = {name: records[name].to_numpy().reshape(-1, rungs) for name in records.columns}
    by_rung = [
        summarise_rung({name: values[:, rung] for name, values in columns.items()}) for rung in range(rungs)
    ]
    return by_rung[-1] | sample_complexity(by_rung, delta), by_rung


def summarise_rung(columns: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Failure probability and losses of one rung from its record columns [R], with intervals."""
    failed = ~columns["guarantee_held"]
    trials, failures = len(failed), int(failed.sum())
    low, high = binomial_interval(failures, trials)
    losses = columns["value_suboptimality"]
    mean_low, mean_high = mean_interval(losses)
    summary = {
        "samples": float(columns["samples"].mean()),
        "failure_probability": failures / trials,
        "failure_probability_low": low,
        "failure_probability_high": high,
        "leader_failure_probability": float((~columns["leader_guarantee_held"]).mean()),
        "follower_failure_probability": float((~columns["follower_guarantee_held"]).mean()),
        "value_suboptimality": float(losses.mean()),
        "value_suboptimality_low": mean_low,
        "value_suboptimality_high": mean_high,
        "value_suboptimality_median": float(np.median(losses)),
        "value_suboptimality_q95": float(np.quantile(losses, 0.95)),
        "follower_suboptimality": float(columns["follower_suboptimality"].mean()),
        "gap": float(columns["gap"][0]),
        "guarantee": float(columns["guarantee"][0]),
    }
    diagnostics = [name for name in columns if name.startswith("diagnostic_")]
    known = {name: columns[name][~np.isnan(columns[name])] for name in diagnostics}
    means = {name: float(values.mean()) for name, values in known.items() if len(values)}
    return summary | {name: mean for name, mean in means.items() if np.isfinite(mean)}


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
