"""Results as a tidy DataFrame: one row per cell, rung of its budget, replicate, or leader action."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pandas as pd

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.reporting.find_sweep import find_sweep
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep
from stackel_bench.results import files
from stackel_bench.results.frames import in_order
from stackel_bench.results.varying import described_columns

LEVELS = ("cell", "rung", "replicate", "action")
Level = Literal["cell", "rung", "replicate", "action"]


def load_results(study: str | Path, *, level: Level = "cell", output: str | Path = ".") -> pd.DataFrame:
    """The finished cells of a study below the output folder, or of a sweep's folder given as a path.

    level "cell": as in results.csv. "rung": one row per cell and budget of its ladder. "replicate": one row
    per cell, budget and replicate. "action": one row per cell and leader action, empty where no cell keeps
    such a table. Every row begins with the columns that describe its cell, keys that vary among the cells
    included. A warning tells of damaged files.
    """
    checks.choice("level", level, LEVELS)
    path = Path(study).expanduser()
    folder = path if (path / files.JOURNAL).exists() else find_sweep(str(study), Path(output))
    results = read_sweep(folder)
    for sentence in results.journal.problems():
        warnings.warn(f"{folder}: {sentence}", stacklevel=2)
    if results.cells.empty:
        raise InputError("study", str(study), f"a sweep with finished cells ({folder} has none)")
    if level == "replicate":
        return _below_each_other(results, results.records)
    if level == "action":
        return _below_each_other(results, results.actions)
    return (results.cells if level == "cell" else results.rungs).copy()


def _below_each_other(results: SweepResults, read: Callable[[str], pd.DataFrame | None]) -> pd.DataFrame:
    """Tables of all cells below each other; what describes the cell is repeated on each row."""
    frames = []
    described_by_id = described_columns(results.finished)
    for entry in results.finished:
        table = read(entry.cell_id)
        if table is not None:
            described = pd.DataFrame([described_by_id[entry.cell_id]] * len(table), index=table.index)
            frames.append(pd.concat([described, table], axis=1))
    return in_order(pd.concat(frames, ignore_index=True)) if frames else pd.DataFrame()
