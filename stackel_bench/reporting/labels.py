"""What tables and figures call the cells of a sweep."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pandas as pd

from stackel_bench.results.entry import Entry
from stackel_bench.results.names import cell_names


def label_cells(entries: Iterable[Entry]) -> pd.DataFrame:
    """cell_id, instance (game), learner (algorithm and settings), pair (equal where samples are shared)."""
    entries = list(entries)
    names = cell_names(entries)
    rows = [
        {
            "cell_id": entry.cell_id,
            "instance": names[entry.cell_id].instance,
            "learner": names[entry.cell_id].learner,
            "pair": pair_key(entry),
        }
        for entry in entries
    ]
    return pd.DataFrame(rows, columns=["cell_id", "instance", "learner", "pair"])


def pair_key(entry: Entry) -> str:
    """Equal for cells that differ in tie-breaking alone: they saw the same samples."""
    shared = {key: value for key, value in entry.config.items() if key != "tie_breaking"}
    return json.dumps(shared, sort_keys=True)
