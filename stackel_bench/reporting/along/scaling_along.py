"""Samples needed along any key that varies and is a number, where everything else is fixed."""

from __future__ import annotations

import pandas as pd

from stackel_bench.errors import InputError
from stackel_bench.reporting.along.lines import INSTANCE, alike
from stackel_bench.reporting.along.scaling import Scaling, fit_scaling, settings_of
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results.columns import SHORT_COLUMNS
from stackel_bench.results.varying import flat_configs, varying_keys

_IDENTITY = "game.identity"  # of games that were given as objects; it follows from the axis


def scalings_along(results: SweepResults, key: str) -> list[Scaling]:
    """The groups of cells that differ in this key, or in the random instance, alone; at least one.

    key is a configuration key (`game.correlation`) or a column of cells (`num_leader_actions`).
    """
    cells = results.cells.assign(stops=results.stopped)[results.laddered | results.stopped]
    if cells.empty:
        raise InputError("cells", "single budgets", "cells with budget=ladder, or learners that stop")
    axis = _column(cells, key)
    moving = {key, INSTANCE, _IDENTITY, *(name for name, short in SHORT_COLUMNS.items() if short == axis)}
    chosen = set(cells["cell_id"])
    configs = flat_configs(entry for entry in results.finished if entry.cell_id in chosen)
    groups = [cells[cells["cell_id"].isin(members)] for members in alike(configs, moving)]
    groups = [rows for rows in groups if rows[axis].nunique() > 1]
    if not groups:
        raise InputError("key", key, "a key along which cells differ in nothing else")
    keys = [name for name in varying_keys(results.finished) if name not in moving]
    rungs = {str(cell_id): frame for cell_id, frame in results.rungs.groupby("cell_id")}
    return [fit_scaling(axis, rows, rungs, settings_of(rows, keys, configs)) for rows in groups]


def _column(cells: pd.DataFrame, key: str) -> str:
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
