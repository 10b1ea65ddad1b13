"""From a cell's records (one row per replicate and rung) to the numbers that are tracked and plotted."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from stackel_bench.evaluation.verdict import Judgement
from stackel_bench.games.played_values import PlayedValues
from stackel_bench.learners.decision import Decisions
from stackel_bench.learners.guarantee import Line
from stackel_bench.statistics.binomial import binomial_interval
from stackel_bench.statistics.bounded_mean import mean_intervals
from stackel_bench.statistics.crossing import samples_needed
from stackel_bench.streams import KeyPart

PLAYED = "played_"  # what the names of columns of played values start with
SHOWN_STRATEGY = 3  # mixed strategies over so many actions can be drawn, so records keep them


def decision_columns(decisions: Decisions) -> dict[str, np.ndarray]:
    """The columns [R,K] of the records that need no truth: what was decided, and what was found out."""
    shape = decisions.shape
    response, strategy = decisions.follower_response, decisions.leader_strategy
    shown = 0 if strategy is None or strategy.shape[-1] > SHOWN_STRATEGY else strategy.shape[-1]
    return {
        "samples": decisions.samples,
        **({} if decisions.leader_action is None else {"leader_action": decisions.leader_action}),
        **({"follower_response": response} if response.shape == shape else {}),  # else it is a policy
        "estimated_value": decisions.estimated_value,
        **{f"strategy_{action}": strategy[..., action] for action in range(shown) if strategy is not None},
        **{f"diagnostic_{name}": values for name, values in decisions.diagnostics.items()},
    }


def played_columns(game: Any, decisions: Decisions, key: tuple[KeyPart, ...]) -> dict[str, np.ndarray]:
    """Columns [R,K] of means and intervals for both players; none if the game cannot be played out."""
    play_out = getattr(game, "play_out", None)
    if play_out is None:
        return {}
    columns = {name: np.full(decisions.shape, np.nan) for name in PlayedValues._fields}
    for replicate, rung in np.ndindex(decisions.shape):
        found = play_out(decisions.at(replicate, rung), (*key, replicate, rung))
        if found is None:
            return {}
        for name, value in found._asdict().items():
            columns[name][replicate, rung] = value
    return columns


def record_columns(decisions: Decisions, judged: Judgement) -> dict[str, np.ndarray]:
    """The columns [R,K] of the records: what was decided, and what it is really worth."""
    shape, decided = decisions.shape, decision_columns(decisions)
    last = {
        name: decided.pop(name) for name in list(decided) if name.startswith(("strategy_", "diagnostic_"))
    }
    return {
        **decided,
        "value": judged.value,
        "value_suboptimality": judged.value_suboptimality,
        "follower_suboptimality": judged.follower_suboptimality,
        "gap": np.full(shape, judged.gap),
        "guarantee": np.full(shape, judged.guarantee),
        "largest_loss": np.full(shape, judged.largest_loss),
        **{f"{line}_guarantee_held": held for line, held in judged.held.items()},
        "guarantee_held": judged.guarantee_held,
        **{f"{line}_vacuous": np.full(shape, vacuous) for line, vacuous in judged.vacuous_lines.items()},
        "vacuous": np.full(shape, judged.vacuous),
        **last,
    }


def summarise(records: pd.DataFrame, delta: float) -> tuple[dict[str, float], list[dict[str, float]]]:
    """Headline metrics of a cell (those of its largest budget) and the metrics of every rung.

    Records are in the order of replicates, each with its rungs in order.
    """
    rungs = int(records["rung"].iloc[-1]) + 1
    columns = {name: records[name].to_numpy().reshape(-1, rungs) for name in records.columns}
    limits = np.full((rungs, 2), np.nan)
    if "value_suboptimality" in columns:
        largest = float(columns["largest_loss"][0, 0])
        limits = np.stack(mean_intervals(columns["value_suboptimality"], 0.0, largest), axis=1)
    by_rung = [
        _summarise_rung({name: values[:, rung] for name, values in columns.items()}, limits[rung])
        for rung in range(rungs)
    ]
    if "value_suboptimality" not in columns:  # without a truth: no failures, so no samples needed
        return by_rung[-1] | _used(columns, by_rung[-1]), by_rung
    vacuous = {name: float(columns[name][0, 0]) for name in columns if name.endswith("vacuous")}
    return by_rung[-1] | _needed(columns, by_rung, delta) | vacuous, by_rung


def _summarise_rung(columns: Mapping[str, np.ndarray], loss_limits: np.ndarray) -> dict[str, float]:
    """Failure probability and losses of one rung from its record columns [R], with intervals."""
    known = {"samples": float(columns["samples"].mean())} | _known_without_truth(columns)
    if "guarantee_held" not in columns:
        return known
    failed = ~columns["guarantee_held"]
    trials, failures = len(failed), int(failed.sum())
    low, high = binomial_interval(failures, trials)
    losses = columns["value_suboptimality"]
    return known | {
        "failure_probability": failures / trials,
        "failure_probability_low": float(low),
        "failure_probability_high": float(high),
        **{
            f"{line}_failure_probability": float((~columns[f"{line}_guarantee_held"]).mean())
            for line in Line
            if f"{line}_guarantee_held" in columns
        },
        "value_suboptimality": float(losses.mean()),
        "value_suboptimality_low": float(loss_limits[0]),
        "value_suboptimality_high": float(loss_limits[1]),
        "value_suboptimality_median": float(np.median(losses)),
        "value_suboptimality_q95": float(np.quantile(losses, 0.95)),
        "follower_suboptimality": float(columns["follower_suboptimality"].mean()),
        "gap": float(columns["gap"][0]),
        "guarantee": float(columns["guarantee"][0]),
    }


def _known_without_truth(columns: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Means of diagnostics and of played values, where a replicate has them."""
    shown = [name for name in columns if name.startswith(("diagnostic_", PLAYED))]
    known = {name: columns[name][~np.isnan(columns[name])] for name in shown}
    means = {name: float(values.mean()) for name, values in known.items() if len(values)}
    certified = {"certified": means.pop("diagnostic_certified")} if "diagnostic_certified" in means else {}
    return certified | {name: mean for name, mean in means.items() if np.isfinite(mean)}


def _needed(
    columns: Mapping[str, np.ndarray], rungs: list[dict[str, float]], delta: float
) -> dict[str, float]:
    """The samples needed to fail at most delta often, if there is a ladder; otherwise the samples used.

    Ends of the interval that are open are left out. censored: the largest budget, or the only one, failed too
    often, and is the number reported. at_most: the smallest budget never failed, and no larger one too often,
    so that fewer samples may do.
    """
    if len(rungs) == 1:
        censored = float(rungs[0]["failure_probability"] > delta)
        return _used(columns, rungs[0]) | {"censored": censored}
    found = samples_needed([rung["samples"] for rung in rungs], ~columns["guarantee_held"], delta)
    ends = {"samples_needed_low": found.low, "samples_needed_high": found.high}
    return {
        "sample_complexity": found.estimate,
        "censored": float(found.censored),
        "at_most": float(found.at_most),
        **{name: end for name, end in ends.items() if np.isfinite(end)},
    }


def _used(columns: Mapping[str, np.ndarray], last: Mapping[str, float]) -> dict[str, float]:
    """The samples used at the largest budget, with their spread where learners stop by themselves."""
    used = columns["samples"][:, -1].astype(float)
    mean, (median, q90) = math.fsum(used) / len(used), np.quantile(used, [0.5, 0.9]).tolist()
    stops = "certified" in last or not median == q90 == mean
    spread = {"samples_median": median, "samples_q90": q90} if stops else {}
    return {"sample_complexity": mean} | spread
