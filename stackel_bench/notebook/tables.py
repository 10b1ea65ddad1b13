"""Tables of cells that are in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from stackel_bench.reporting.sweep_results import Tables


@dataclass(frozen=True, eq=False)
class TablesInMemory:
    """Records and tables of actions by cell id, of a sweep whose folder is gone."""

    records: Mapping[str, pd.DataFrame]
    actions: Mapping[str, pd.DataFrame | None]
    folder: Path = Path()

    @classmethod
    def copied(cls, tables: Tables, cell_ids: Iterable[str]) -> TablesInMemory:
        """What the tables say of these cells."""
        cell_ids = list(cell_ids)
        records = {cell_id: tables.read_records(cell_id) for cell_id in cell_ids}
        return cls(records, {cell_id: tables.read_actions(cell_id) for cell_id in cell_ids})

    def read_records(self, cell_id: str) -> pd.DataFrame:
        """One row per replicate and rung."""
        return self.records[cell_id]

    def read_actions(self, cell_id: str) -> pd.DataFrame | None:
        """One row per leader action, if the cell has such a table."""
        return self.actions[cell_id]

    def problems(self) -> list[str]:
        """Nothing: there are no files."""
        return []
