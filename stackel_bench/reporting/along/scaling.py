"""Samples needed along one parameter, everything else fixed: the groups of cells and their power laws."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from stackel_bench.errors import InputError
from stackel_bench.families.registry import family_of
from stackel_bench.families.sizes import SIZES
from stackel_bench.reporting.along.lines import INSTANCE, Line, alike, lines
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results.colours import cell_colour
from stackel_bench.results.columns import (
    AT_MOST,
    CENSORED,
    NEEDED,
    NEEDED_HIGH,
    NEEDED_LOW,
    SHORT_COLUMNS,
    heading,
)
from stackel_bench.statistics.crossing_likelihood import Ladder
from stackel_bench.statistics.exponents import Exponent, needed_exponent, used_exponent

AXES = ("epsilon", *SIZES)
MOST_FITS = 40
MOST_FITTED = 160  # cells in all fits: each takes a likelihood of all its ladders
TOO_UNCERTAIN, NOT_IDENTIFIED = "too uncertain", "not identified"
LEAST_VALUES = 3
_IDENTITY = "game.identity"  # of games that were given as objects; it follows from the axis


@dataclass(frozen=True, eq=False)
class Scaling:
    """Cells that differ in one parameter, or in the random instance, alone.

    frame has columns x, samples, low, high, censored, at_most, sorted by x: samples needed with their
    interval, or, where stops is true, mean, median and 90 % quantile of the samples used.
    """

    family: str
    axis: str
    name: str
    tie_breaking: str
    frame: pd.DataFrame
    stops: bool
    law: Exponent | None
    theorem: float | None  # the exponent of its sample size, where it mentions the axis
    replicates: int
    colour: str

    @property
    def drawn_law(self) -> Exponent | None:
        """The law where it is certain enough to be drawn."""
        return self.law if self.law is not None and self.law.useful else None

    def exponent_text(self) -> str:
        """The exponent, or why there is none to be shown."""
        if self.law is None:
            return NOT_IDENTIFIED
        return f"{self.law.exponent:.2f}" if self.law.useful else TOO_UNCERTAIN


def scalings(results: SweepResults) -> tuple[list[Scaling], int]:
    """Every group with at least three values of a parameter (at most MOST_FITS), and how many there are."""
    if results.cells.empty:
        return [], 0
    cells = results.cells.assign(stops=results.stopped)[results.laddered | results.stopped]
    along = lines(results.measured, results.flat, LEAST_VALUES)
    groups = [(axis, rows) for axis in AXES if axis in cells.columns for rows in _groups(cells, axis, along)]
    cells_before = np.cumsum([0, *(len(rows) for _, rows in groups)])
    fitted = [group for group, before in zip(groups, cells_before, strict=False) if before < MOST_FITTED]
    rungs = _rungs_of(results, [cell_id for _, rows in fitted for cell_id in rows["cell_id"]])
    found = [
        fit_scaling(axis, rows, rungs, settings_of(rows, results.varying, results.flat))
        for axis, rows in fitted[:MOST_FITS]
    ]
    return found, len(groups)


def scalings_along(results: SweepResults, key: str) -> list[Scaling]:
    """The groups of cells that differ in this key, or in the random instance, alone; at least one.

    key is a configuration key (`game.correlation`) or a column of cells (`num_leader_actions`).
    """
    cells = results.cells.assign(stops=results.stopped)[results.laddered | results.stopped]
    if cells.empty:
        raise InputError("cells", "single budgets", "cells with budget=ladder, or learners that stop")
    axis = _column_of(cells, key)
    moving = {key, INSTANCE, _IDENTITY, *(name for name, short in SHORT_COLUMNS.items() if short == axis)}
    chosen = set(cells["cell_id"])
    groups = [
        cells[cells["cell_id"].isin(members)] for members in alike(results.flat, cells["cell_id"], moving)
    ]
    groups = [rows for rows in groups if rows[axis].nunique() > 1]
    if not groups:
        raise InputError("key", key, "a key along which cells differ in nothing else")
    keys = [name for name in results.varying if name not in moving]
    rungs = _rungs_of(results, chosen)
    return [fit_scaling(axis, rows, rungs, settings_of(rows, keys, results.flat)) for rows in groups]


def _rungs_of(results: SweepResults, cell_ids: Collection[str]) -> dict[str, pd.DataFrame]:
    """The learning curves of these cells."""
    rungs = results.rungs[results.rungs["cell_id"].isin(cell_ids)]
    return {str(cell_id): frame for cell_id, frame in rungs.groupby("cell_id")}


def _column_of(cells: pd.DataFrame, key: str) -> str:
    """The column of the key; an InputError lists the keys that vary and are numbers."""
    column = SHORT_COLUMNS.get(key, key)
    numeric = [
        name
        for name in cells.select_dtypes("number").columns
        if (name in SHORT_COLUMNS.values() or "." in name) and cells[name].nunique() > 1
    ]
    if column not in numeric:
        raise InputError(
            "key", key, f"a key that varies and is a number: {', '.join(numeric) or 'none does'}"
        )
    return column


def _column(frame: pd.DataFrame, name: str) -> pd.Series:
    """The column, empty where no cell of the sweep has such a number."""
    return frame[name] if name in frame.columns else pd.Series(np.nan, index=frame.index)


def _groups(cells: pd.DataFrame, axis: str, along: Mapping[str, list[Line]]) -> list[pd.DataFrame]:
    """Cells on one line along which the axis takes three values, and no other size of the game changes."""
    if cells[axis].nunique() < LEAST_VALUES:
        return []
    if axis == "epsilon":
        known = along.get("budget.epsilon", [])
    else:
        known = [line for key, found in along.items() if key.startswith("game.") for line in found]
    sizes = [name for name in AXES if name in cells.columns and name != axis]
    groups: dict[frozenset[str], pd.DataFrame] = {}
    for line in known:
        cell_ids = frozenset(entry.cell_id for members in line.values() for entry in members)
        members = cells[cells["cell_id"].isin(cell_ids)]
        alone = all(members[name].nunique(dropna=False) == 1 for name in sizes)
        if alone and members[axis].nunique() >= LEAST_VALUES:
            groups.setdefault(cell_ids, members)
    return list(groups.values())


def settings_of(members: pd.DataFrame, keys: Sequence[str], configs: Mapping[str, Mapping[str, Any]]) -> str:
    """What tells a group from others: keys that vary within the sweep but not within the group."""
    values = {key: [configs[cell_id].get(key) for cell_id in members["cell_id"]] for key in keys}
    fixed = {key: found[0] for key, found in values.items() if all(value == found[0] for value in found)}
    return "".join(f" {key}={value}" for key, value in fixed.items() if value is not None)


def fit_scaling(
    axis: str, members: pd.DataFrame, rungs: Mapping[str, pd.DataFrame], settings: str
) -> Scaling:
    """The cells of one group with the power law of their samples; none where the axis is not positive."""
    members = members.sort_values(axis, kind="stable")
    first = members.iloc[0]
    stops = bool(first["stops"])
    low, high = ("samples_median", "samples_q90") if stops else (NEEDED_LOW, NEEDED_HIGH)
    sources = {"x": axis, "samples": NEEDED, "low": low, "high": high}
    frame = pd.DataFrame({name: _column(members, source) for name, source in sources.items()})
    for name in (CENSORED, AT_MOST):
        frame[name] = _column(members, name) == 1
    law = None
    if (frame["x"] > 0).all():
        law = (
            used_exponent(frame["x"], [[samples] for samples in frame["samples"]])
            if stops
            else needed_exponent([_ladder(rungs[i], axis) for i in members["cell_id"]], float(first["delta"]))
        )
    explorer = f" ({first['explorer']})" if first.get("explorer") else ""
    return Scaling(
        family=first["family"],
        axis=axis,
        name=f"{first['game']} · {first['algorithm']}{explorer}{settings}",
        tie_breaking=first["tie_breaking"],
        frame=frame.reset_index(drop=True),
        stops=stops,
        law=law,
        theorem=family_of(first["family"]).exponents.get(axis),
        replicates=int(members["replicates"].min()),
        colour=cell_colour({str(name): first[name] for name in members.columns}) or "",
    )


def _ladder(rungs: pd.DataFrame, axis: str) -> Ladder:
    """The failures of a cell, counted on each rung."""
    rungs, trials = rungs.sort_values("rung"), int(rungs["replicates"].iloc[0])
    failures = (rungs["failure_probability"] * trials).round().to_numpy(dtype=np.int64)
    return Ladder(float(rungs[axis].iloc[0]), rungs["samples"].to_numpy(dtype=float), failures, trials)


def exponent_table(found: list[Scaling]) -> pd.DataFrame:
    """One row per group: fitted exponent with its interval beside the theorem's."""
    rows = [
        {
            "parameter": scaling.axis,
            "cells_of": scaling.name,
            "tie_breaking": scaling.tie_breaking,
            "exponent": scaling.exponent_text(),
            "exponent_low": "–" if scaling.law is None else f"{scaling.law.low:.2f}",
            "exponent_high": "–" if scaling.law is None else f"{scaling.law.high:.2f}",
            "theorem_exponent": "–" if scaling.theorem is None else f"{scaling.theorem:g}",
            "cells": len(scaling.frame),
            "cells_outside": int((scaling.frame[CENSORED] | scaling.frame[AT_MOST]).sum()),
            "replicates": scaling.replicates,
        }
        for scaling in found
    ]
    return pd.DataFrame(rows).rename(columns=heading)
