"""Everything a report needs to know about one sweep, read from its journal and records alone."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from stackel_bench.reporting.labels import label_cells
from stackel_bench.results.entry import FAILED, FINISHED, Entry
from stackel_bench.results.frames import cells_frame, rows_of, rungs_frame, saved_summary
from stackel_bench.results.journal import Journal
from stackel_bench.results.provenance import recorded_machines
from stackel_bench.results.varying import (
    DescribedColumns,
    FlatConfigs,
    described_columns,
    varying_keys,
)
from stackel_bench.statistics.verdicts import judged

SUMMARY_KEYS = ("study", "question", "sweep_id", "planned", "command", "version", "commit")


class Tables(Protocol):
    """Where the tables of finished cells are: a sweep's journal, or elsewhere in merged_sweeps."""

    @property
    def folder(self) -> Path:
        """Where files made from the tables go."""

    def read_records(self, cell_id: str) -> pd.DataFrame:
        """One row per replicate and rung."""

    def read_actions(self, cell_id: str) -> pd.DataFrame | None:
        """One row per leader action, if the cell has such a table."""

    def problems(self) -> list[str]:
        """What is wrong with the files, one sentence each."""


@dataclass(frozen=True, eq=False)
class SweepResults:
    """The entries of a sweep in plan order (finished and failed), and what was asked of it."""

    study: str
    question: str
    sweep_id: str
    tables: Tables = field(repr=False)
    entries: tuple[Entry, ...]
    planned: int
    command: str
    version: str
    commit: str

    @functools.cached_property
    def cells(self) -> pd.DataFrame:
        """One row per finished cell, as in results.csv."""
        return cells_frame(self.entries, self.described)

    @functools.cached_property
    def rungs(self) -> pd.DataFrame:
        """One row per finished cell and rung of its budget."""
        return rungs_frame(self.entries, self.described)

    @functools.cached_property
    def laddered(self) -> pd.Series:
        """Whether each cell was run at several budgets."""
        return self.cells["cell_id"].map(self.rungs.groupby("cell_id").size()) > 1

    @functools.cached_property
    def stopped(self) -> pd.Series:
        """Whether each cell's learner stopped by itself: it has a distribution of samples used, no ladder."""
        uncapped = self.cells["budget"].isin(["theory", "ladder"])
        return ~self.laddered & uncapped & self.cells["samples_median"].notna()

    @functools.cached_property
    def measured(self) -> tuple[Entry, ...]:
        """Finished cells that tell samples needed: they have a ladder, or their learner stopped by itself."""
        known = set(self.cells.loc[self.laddered | self.stopped, "cell_id"])
        return tuple(entry for entry in self.finished if entry.cell_id in known)

    @functools.cached_property
    def labels(self) -> pd.DataFrame:
        """cell_id, instance, learner and pair of every entry."""
        return label_cells(self.entries, self.flat)

    @functools.cached_property
    def label_of(self) -> dict[str, dict[str, Any]]:
        """The same as a dictionary per entry, by cell id."""
        return {row["cell_id"]: row for row in rows_of(self.labels)}

    @functools.cached_property
    def judged(self) -> pd.DataFrame:
        """The cells whose truth is known, with labels, and verdicts alone and for all at once."""
        known = self.judged_part
        return judged(known.labelled(known.cells))

    def labelled(self, frame: pd.DataFrame) -> pd.DataFrame:
        """A frame with a column cell_id, plus the columns instance, learner and pair."""
        return frame.merge(self.labels, on="cell_id", how="left", validate="many_to_one")

    @property
    def journal(self) -> Journal:
        """The journal of a sweep that is on disk."""
        assert isinstance(self.tables, Journal)
        return self.tables

    @property
    def folder(self) -> Path:
        """The sweep's folder."""
        return self.tables.folder

    @functools.cached_property
    def flat(self) -> FlatConfigs:
        """The configuration of every entry without nesting, by cell id."""
        return FlatConfigs(self.entries)

    @functools.cached_property
    def varying(self) -> tuple[str, ...]:
        """The keys that tell the finished cells apart."""
        return varying_keys(self.finished, self.flat)

    @functools.cached_property
    def described(self) -> DescribedColumns:
        """The columns that say which cell each finished one is, by cell id."""
        return described_columns(self.finished, self.flat, self.varying)

    @functools.cached_property
    def finished(self) -> tuple[Entry, ...]:
        """Entries with numbers."""
        return tuple(entry for entry in self.entries if entry.state == FINISHED)

    @functools.cached_property
    def judged_part(self) -> SweepResults:
        """These results without cells of games whose truth nobody knows, which have no failures."""
        left_out = {entry.cell_id for entry in self.unjudged}
        if not left_out:
            return self
        return dataclasses.replace(self, entries=tuple(e for e in self.entries if e.cell_id not in left_out))

    @functools.cached_property
    def unjudged(self) -> tuple[Entry, ...]:
        """Finished cells of games whose truth nobody knows."""
        return tuple(entry for entry in self.finished if "failure_probability" not in entry.metrics)

    @property
    def failed(self) -> tuple[Entry, ...]:
        """Entries with an error instead of numbers."""
        return tuple(entry for entry in self.entries if entry.state == FAILED)

    @property
    def unfinished(self) -> int:
        """Cells of the plan that have neither finished nor failed."""
        return max(0, self.planned - len(self.entries))

    @functools.cached_property
    def samples_drawn(self) -> float:
        """Samples behind all finished cells, all rungs that were really run.

        Cells that differ in tie-breaking alone share theirs, unless they drew different numbers of them.
        """
        pairs = (self.flat.but(entry.cell_id, "tie_breaking") for entry in self.finished)
        drawn = {(p, e.metrics["samples_drawn"]) for p, e in zip(pairs, self.finished, strict=True)}
        return math.fsum(samples for _, samples in drawn)  # exact, so that no order matters

    def summary(self) -> dict[str, Any]:
        """What summary.json holds, enough to rebuild these results from the folder."""
        facts = {key: getattr(self, key) for key in SUMMARY_KEYS}
        counts = {"finished": len(self.finished), "failed": len(self.failed), "unfinished": self.unfinished}
        measured = {"samples_drawn": self.samples_drawn, "provenance": recorded_machines(self.folder)}
        return facts | counts | measured


def read_sweep(folder: Path, cell_ids: Iterable[str] | None = None, **known: Any) -> SweepResults:
    """The results in a sweep's folder: entries in the order of cell_ids (default: of the journal).

    What is not known is taken from summary.json, and from the folder's name where there is none.
    """
    journal = Journal(folder)
    order = list(journal.entries if cell_ids is None else cell_ids)
    entries = tuple(journal.entries[cell_id] for cell_id in order if cell_id in journal.entries)
    study, _, sweep_id = folder.name.rpartition("-")
    facts: dict[str, Any] = {
        **dict.fromkeys(SUMMARY_KEYS, ""),
        "study": study,
        "sweep_id": sweep_id,
        "planned": len(order),
        **{k: v for k, v in saved_summary(folder).items() if k in SUMMARY_KEYS},
        **known,
    }
    return SweepResults(tables=journal, entries=entries, **facts)
