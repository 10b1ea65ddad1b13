"""Results as tables: one row per cell, one row per rung, and the files that hold them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from stackel_bench.tracking.journal import Entry, write_atomically


def cells_frame(entries: Iterable[Entry]) -> pd.DataFrame:
    """One row per finished cell: which one it is, then its metrics. No timings, so equal runs are equal."""
    rows = [{**entry.description, **entry.metrics} for entry in entries if entry.state == "finished"]
    return pd.DataFrame(rows)


def rungs_frame(entries: Iterable[Entry]) -> pd.DataFrame:
    """One row per finished cell and rung of its budget: the learning curves."""
    rows = [
        {**entry.description, "rung": position, **rung, "theory_samples": entry.metrics["theory_samples"]}
        for entry in entries
        if entry.state == "finished"
        for position, rung in enumerate(entry.rungs)
    ]
    return pd.DataFrame(rows)


def write_results(folder: Path, entries: Iterable[Entry], summary: Mapping[str, Any]) -> None:
    """results.csv, results.parquet and summary.json, each complete or absent."""
    frame = cells_frame(entries)
    write_atomically(folder / "results.csv", frame.to_csv(index=False, lineterminator="\n").encode())
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False, compression="zstd")
    write_atomically(folder / "results.parquet", buffer.getvalue())
    text = json.dumps(summary, indent=2, allow_nan=False, default=str)
    write_atomically(folder / "summary.json", (text + "\n").encode())
