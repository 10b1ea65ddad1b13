"""Results as a tidy DataFrame: one row per cell, per rung of its budget, or per replicate."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pandas as pd

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.reporting.find_sweep import find_sweep
from stackel_bench.reporting.sweep_results import SweepResults, read_sweep

Level = Literal["cell", "rung", "replicate"]


def load_results(study: str | Path, *, level: Level = "cell", output: str | Path = ".") -> pd.DataFrame:
    """The finished cells of a study below the output folder, or of a sweep's folder given as a path.

    level "cell": as in results.csv. "rung": one row per cell and budget of its ladder. "replicate": one row
    per cell, budget and replicate. Every row begins with the columns that describe its cell.
    """
    checks.choice("level", level, ("cell", "rung", "replicate"))
    path = Path(study).expanduser()
    folder = path if (path / "journal.jsonl").exists() else find_sweep(str(study), Path(output))
    results = read_sweep(folder)
    if results.cells.empty:
        raise InputError("study", str(study), f"a sweep with finished cells ({folder} has none)")
    if level == "replicate":
        return _replicates(results)
    return (results.cells if level == "cell" else results.rungs).copy()


def _replicates(results: SweepResults) -> pd.DataFrame:
    """Records of all cells below each other; what describes the cell is repeated on each row."""
    frames = []
    for entry in results.finished:
        records = results.records(entry.cell_id)
        described = pd.DataFrame([dict(entry.description)] * len(records), index=records.index)
        frames.append(pd.concat([described, records], axis=1))
    return pd.concat(frames, ignore_index=True)
