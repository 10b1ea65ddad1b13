"""Sample complexity along one parameter, everything else fixed: the groups of cells and their power laws."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from stackel_bench.reporting.exponents import PowerLaw, fit_power_law
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.theorems import AXES, theorem_exponent
from stackel_bench.results.columns import CENSORED, NEEDED
from stackel_bench.results.varying import flat_items, varying_keys

MOST_FITS = 40


@dataclass(frozen=True, eq=False)
class Scaling:
    """Cells that differ in one parameter alone; frame has columns x, lower, upper, sorted by x."""

    family: str
    axis: str
    name: str
    tie_breaking: str
    frame: pd.DataFrame
    law: PowerLaw | None
    theorem: float | None
    replicates: int


def scalings(results: SweepResults) -> tuple[list[Scaling], int]:
    """Every group with at least three values of a parameter (at most MOST_FITS), and how many there are."""
    brackets = complexity_brackets(results)
    if brackets.empty:
        return [], 0
    configs = {entry.cell_id: dict(flat_items(entry.config)) for entry in results.finished}
    groups = [
        (axis, members)
        for axis in AXES
        if axis in brackets.columns
        for members in _groups(brackets, axis, configs)
    ]
    keys = varying_keys(results.finished)
    found = [_fit(axis, rows, _settings(rows, keys, configs)) for axis, rows in groups[:MOST_FITS]]
    return found, len(groups)


def complexity_brackets(results: SweepResults) -> pd.DataFrame:
    """The cells whose sample complexity was measured, with the limits (lower, upper] it lies in.

    From ladders: between the last budget that failed too often and the first that did not. From learners
    that stop by themselves (budget theory, samples unlike the theorem's): what they used, exactly.
    """
    rungs = {cell_id: sorted(frame["samples"]) for cell_id, frame in results.rungs.groupby("cell_id")}
    rows = []
    for row in results.cells.to_dict("records"):
        needed, theory = row[NEEDED], row["theory_samples"]
        if len(rungs[row["cell_id"]]) > 1:
            budgets = rungs[row["cell_id"]]
            if row[CENSORED] == 1:
                limits = (needed, np.inf)
            else:
                below = max((samples for samples in budgets if samples < needed), default=0.0)
                limits = (below, min((samples for samples in budgets if samples >= needed), default=needed))
        elif row["budget"] == "theory" and abs(row["samples"] / theory - 1) > 1e-3:
            limits = (needed, needed)
        else:
            continue
        rows.append({**row, "lower": limits[0], "upper": limits[1]})
    return pd.DataFrame(rows)


def _groups(brackets: pd.DataFrame, axis: str, configs: dict[str, dict]) -> list[pd.DataFrame]:
    """Cells that agree in every configuration value except one, along which the axis takes three values."""
    found: dict[tuple[str, ...], pd.DataFrame] = {}
    if brackets[axis].nunique() < 3:
        return []
    moving = ["budget.epsilon"] if axis == "epsilon" else _moving_keys(brackets, configs)
    sizes = [name for name in AXES if name in brackets.columns and name != axis]
    for key in moving:
        by_rest: dict[str, list[str]] = defaultdict(list)
        for cell_id in brackets["cell_id"]:
            rest = {name: value for name, value in configs[cell_id].items() if name != key}
            by_rest[json.dumps(rest, sort_keys=True)].append(cell_id)
        for cell_ids in by_rest.values():
            if len(cell_ids) < 3:
                continue
            members = brackets[brackets["cell_id"].isin(cell_ids)]
            alone = all(members[name].nunique(dropna=False) == 1 for name in sizes)
            if alone and members[axis].nunique() >= 3:
                found.setdefault(tuple(sorted(cell_ids)), members)
    return list(found.values())


def _moving_keys(brackets: pd.DataFrame, configs: dict[str, dict]) -> list[str]:
    """Numeric parameters of games that take several values in this sweep."""
    values: dict[str, set[float]] = defaultdict(set)
    for cell_id in brackets["cell_id"]:
        for key, value in configs[cell_id].items():
            if key.startswith("game.") and isinstance(value, int | float) and not isinstance(value, bool):
                values[key].add(value)
    return [key for key, seen in values.items() if len(seen) >= 3]


def _settings(members: pd.DataFrame, keys: Sequence[str], configs: Mapping[str, Mapping[str, Any]]) -> str:
    """What tells a group from others: keys that vary within the sweep but not within the group."""
    values = {key: [configs[cell_id].get(key) for cell_id in members["cell_id"]] for key in keys}
    fixed = {key: found[0] for key, found in values.items() if all(value == found[0] for value in found)}
    return "".join(f" {key}={value}" for key, value in fixed.items() if value is not None)


def _fit(axis: str, members: pd.DataFrame, settings: str) -> Scaling:
    members = members.sort_values(axis)
    frame = pd.DataFrame({"x": members[axis], "lower": members["lower"], "upper": members["upper"]})
    first = members.iloc[0]
    explorer = f" ({first['explorer']})" if first.get("explorer") else ""
    return Scaling(
        family=first["family"],
        axis=axis,
        name=f"{first['game']} · {first['algorithm']}{explorer}{settings}",
        tie_breaking=first["tie_breaking"],
        frame=frame,
        law=fit_power_law(*(frame[name].to_numpy(float) for name in ("x", "lower", "upper"))),
        theorem=theorem_exponent(first["family"], axis),
        replicates=int(members["replicates"].min()),
    )


def exponent_table(found: list[Scaling]) -> pd.DataFrame:
    """One row per group: fitted exponent with its interval beside the theorem's."""
    return pd.DataFrame(
        [
            {
                "parameter": scaling.axis,
                "cells of": scaling.name,
                "tie-breaking": scaling.tie_breaking,
                "exponent": _exponent(scaling.law),
                "95 % interval": _interval(scaling.law),
                "theorem": "–" if scaling.theorem is None else f"{scaling.theorem:g}",
                "cells": len(scaling.frame),
                "censored": int((~np.isfinite(scaling.frame["upper"]) | (scaling.frame["lower"] == 0)).sum()),
                "replicates": scaling.replicates,
            }
            for scaling in found
        ]
    )


def _exponent(law: PowerLaw | None) -> str:
    return "not identified" if law is None else f"{law.exponent:.2f}"


def _interval(law: PowerLaw | None) -> str:
    return "–" if law is None else f"[{law.low:.2f}, {law.high:.2f}]"
