"""A finished cell computed again: its numbers from its records, its records from its configuration."""

from __future__ import annotations

import dataclasses
import io

import pandas as pd

from stackel_bench.evaluation.summary import summarise
from stackel_bench.execution.trial import decide_block, judge_decisions
from stackel_bench.results.entry import Entry
from stackel_bench.sweep.cell import Cell

Metrics = dict[str, float]


def resummarise(entry: Entry, records: pd.DataFrame) -> tuple[Metrics, list[Metrics]]:
    """The metrics of a cell and of its rungs that follow from its records."""
    return summarise(records, entry.config["budget"]["delta"])


def recompute(cell: Cell) -> tuple[pd.DataFrame, Metrics]:
    """Records and metrics of a cell, computed in this process."""
    trial = dataclasses.replace(cell.trial, tie_breakings=(cell.tie_breaking,))
    outcome = judge_decisions(trial, decide_block(trial, range(trial.replicates)))[cell.tie_breaking]
    return pd.read_parquet(io.BytesIO(outcome.records)), outcome.metrics
