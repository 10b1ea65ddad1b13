"""Several sweeps as one, every cell once; and tables of cells that no sweep's folder holds any more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from stackel_bench.reporting.sweep_results import SweepResults, Tables
from stackel_bench.results.entry import FAILED, FINISHED, Entry


@dataclass(frozen=True, eq=False)
class TablesElsewhere:
    """For each cell, the tables that have it; files made from them go to the folder."""

    owners: Mapping[str, Tables]
    folder: Path = Path()

    def read_records(self, cell_id: str) -> pd.DataFrame:
        """One row per replicate and rung."""
        return self.owners[cell_id].read_records(cell_id)

    def read_actions(self, cell_id: str) -> pd.DataFrame | None:
        """One row per leader action, if the cell has such a table."""
        return self.owners[cell_id].read_actions(cell_id)

    def problems(self) -> list[str]:
        """What is wrong with the files of any of them."""
        return [sentence for tables in dict.fromkeys(self.owners.values()) for sentence in tables.problems()]


def merged_sweeps(sweeps: Sequence[SweepResults], folder: Path = Path()) -> SweepResults:
    """The cells of all sweeps, each once; where it failed in one and finished in another, finished."""
    entries: dict[str, Entry] = {}
    owners = {}
    for sweep in sweeps:
        for entry in sweep.entries:
            known = entries.get(entry.cell_id)
            if known is None or (known.state == FAILED and entry.state == FINISHED):
                entries[entry.cell_id] = entry
                owners[entry.cell_id] = sweep.tables
    words = {
        name: " + ".join(dict.fromkeys(filter(None, (getattr(sweep, name) for sweep in sweeps))))
        for name in ("study", "question", "sweep_id", "command", "version", "commit")
    }
    planned = len(entries) + sum(sweep.unfinished for sweep in sweeps)
    tables = TablesElsewhere(owners, folder)
    return SweepResults(tables=tables, entries=tuple(entries.values()), planned=planned, **words)


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
