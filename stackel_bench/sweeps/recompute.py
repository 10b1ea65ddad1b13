"""A finished cell computed again: its numbers from its records, its tables from its configuration."""

from __future__ import annotations

import dataclasses

import pandas as pd

from stackel_bench.evaluation.summary import summarise
from stackel_bench.results.entry import Entry
from stackel_bench.sweeps.cell import Cell
from stackel_bench.trials.pieces import whole_trial
from stackel_bench.trials.trial import Outcome

Metrics = dict[str, float]


def resummarise(entry: Entry, records: pd.DataFrame) -> tuple[Metrics, list[Metrics]]:
    """The metrics of a cell and of its rungs that follow from its records."""
    return summarise(records, entry.config["budget"]["delta"])


def recompute(cell: Cell) -> Outcome:
    """Records, table of actions and metrics of a cell, computed in this process."""
    trial = dataclasses.replace(cell.trial, tie_breakings=(cell.tie_breaking,))
    return whole_trial(trial.assignment, trial.game)[cell.tie_breaking]
