"""Exit code 0 if two sweeps have the same cells with the same numbers, and MLflow has each of them once."""

from __future__ import annotations

import sys
from pathlib import Path

import mlflow
import pandas as pd

TIMES = ["wall_seconds"]
RECORD = ["cell_id", "rung", "replicate"]


def cells(folder: Path) -> pd.DataFrame:
    """One row per cell, by cell id, without what a clock measured."""
    table = pd.read_csv(folder / "results.csv").set_index("cell_id").sort_index()
    assert table.index.is_unique, f"{folder}: a cell appears twice"
    return table.drop(columns=TIMES, errors="ignore")


def equal_rows(first: Path, second: Path, name: str, keys: list[str]) -> int:
    """How many rows below cells both have, each once, all equal; which file has a row depends on timing."""
    here, there = (pd.read_parquet(sweep / name).set_index(keys).sort_index() for sweep in (first, second))
    assert len(here), f"{first / name}: no rows"
    assert here.index.is_unique, f"{first / name}: a row appears twice"
    pd.testing.assert_frame_equal(here, there, check_exact=True, check_like=True)
    return len(here)


def main(first: Path, second: Path, tracking_uri: str) -> None:
    """Compare tables, records of all replicates, rows of actions, and the runs that MLflow has."""
    here, there = cells(first), cells(second)
    pd.testing.assert_frame_equal(here, there, check_exact=True)
    records = equal_rows(first, second, "records", RECORD)
    actions = equal_rows(first, second, "actions", [*RECORD, "action"])

    mlflow.set_tracking_uri(tracking_uri)
    runs = mlflow.search_runs(search_all_experiments=True, filter_string="tags.`stackel.kind` = 'cell'")
    assert sorted(runs["tags.stackel.cell_id"]) == list(here.index), "MLflow does not have every cell once"
    assert set(runs["status"]) == {"FINISHED"}
    logged = runs.set_index("tags.stackel.cell_id").sort_index()["metrics.value_suboptimality"]
    pd.testing.assert_series_equal(
        logged, here["value_suboptimality"], check_names=False, check_exact=True, check_index_type=False
    )
    print(f"{len(here)} cells, {records} records and {actions} rows of actions equal, bit for bit")
    print("MLflow has each cell once")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
