"""What statistics work on (cells with their records) and what they give back (a number with its interval)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from stackel_bench.claims.prediction import Prediction, combined
from stackel_bench.errors import InputError
from stackel_bench.results.entry import Entry
from stackel_bench.results.varying import flat_items
from stackel_bench.tolerances import VALUE

# Events that a diagnostic of the records decides: it exceeds level * epsilon.
DIAGNOSED = {"uniform": "uniform_error", "reward": "reward_error"}
EVENTS = ("guarantee", "leader", "loss", "error", "coverage", *DIAGNOSED)


class NotMeasurableError(Exception):
    """The records do not contain what the statistic looks for; the message says why."""


@dataclass(frozen=True, eq=False)
class CellEvidence:
    """A finished cell: what was run, its headline numbers, and its records when asked for."""

    entry: Entry
    read_records: Callable[[str], pd.DataFrame] = field(repr=False)

    @functools.cached_property
    def records(self) -> pd.DataFrame:
        """One row per replicate and rung."""
        return self.read_records(self.entry.cell_id)

    @property
    def last_rung(self) -> pd.DataFrame:
        """The replicates at the largest budget, in order."""
        records = self.records
        last: pd.DataFrame = records[records["rung"] == records["rung"].max()]
        return last

    @property
    def config(self) -> Mapping[str, Any]:
        """Its configuration."""
        return self.entry.config

    def failure_table(self, event: str) -> tuple[np.ndarray, np.ndarray]:
        """Samples [rung] and failures [replicate, rung] of a cell with a ladder."""
        records = self.records.sort_values(["rung", "replicate"], kind="stable")
        rungs = [group for _, group in records.groupby("rung", sort=True)]
        samples = np.array([float(group["samples"].mean()) for group in rungs])
        return samples, np.stack([self.failures(event, records=group) for group in rungs], axis=1)

    def setting(self, key: str) -> Any:
        """A configuration value by its dotted name."""
        return functools.reduce(lambda node, part: node[part], key.split("."), self.entry.config)

    def settings_without(self, keys: Sequence[str]) -> str:
        """What cells have in common that differ in these keys (dotted names or groups) alone."""
        flat = flat_items(self.entry.config)
        return repr(
            sorted((k, repr(v)) for k, v in flat if not any(f"{k}.".startswith(f"{h}.") for h in keys))
        )

    def matches(self, wanted: Mapping[str, Any]) -> bool:
        """Whether the configuration has these values."""
        return all(self.setting(key) == value for key, value in wanted.items())

    def failures(self, event: str, level: float = 1.0, records: pd.DataFrame | None = None) -> np.ndarray:
        """Which replicates [R] of the last rung (or of these records) the event befell.

        guarantee: a line does not hold that the learner is judged by. leader: one of the lines that its tie-
        breaking has for the leader, promised or not. loss: more than gap + level * epsilon is lost. error:
        at least `level` is lost. coverage: some policy reaches a state more than 2 SBH times as often as the
        exploration did. uniform: some policy's estimated value is off by more than level * epsilon. reward:
        the same of what estimated rewards alone move it by.
        """
        rows = self.last_rung if records is None else records
        if event == "guarantee":
            return ~rows["guarantee_held"].to_numpy(dtype=bool)
        if event == "leader":
            lines = [line for line in ("loss_guarantee_held", "robustness_guarantee_held") if line in rows]
            return ~rows[lines].all(axis=1).to_numpy(dtype=bool)
        losses = rows["value_suboptimality"].to_numpy()
        epsilon = float(self.setting("budget.epsilon"))
        if event == "loss":
            return losses > rows["gap"].to_numpy() + level * epsilon + VALUE
        if event in DIAGNOSED:
            return rows[f"diagnostic_{DIAGNOSED[event]}"].to_numpy() > level * epsilon
        if event == "coverage":
            return rows["diagnostic_coverage"].to_numpy() > rows["diagnostic_coverage_bound"].to_numpy()
        if event == "error":
            return losses >= level - VALUE
        raise InputError("event", event, "one of " + ", ".join(EVENTS))


@dataclass(frozen=True)
class Measured:
    """A number with its interval, which holds with probability 1 - false_alarm.

    note says what the number is of; verdict is given where it is not that of this one interval.
    """

    value: float
    low: float
    high: float
    note: str = ""
    verdict: str | None = None


def closest(
    values: Sequence[float],
    intervals: Sequence[tuple[float, float]],
    predictions: Sequence[Prediction],
    note: str,
) -> Measured:
    """The verdict of all; of those that have it, the one with the least room to its limits stands for all."""
    verdicts = [own.verdict(*interval) for own, interval in zip(predictions, intervals, strict=True)]
    verdict = combined(verdicts)
    having = [i for i, own in enumerate(verdicts) if own == verdict]
    worst = min(having, key=lambda i: predictions[i].room(*intervals[i]))
    note += "; the worst for the claim is shown" if len(values) > 1 else ""
    note += f" (predicted of it: {predictions[worst].text()})" if len(set(predictions)) > 1 else ""
    return Measured(values[worst], *intervals[worst], note, verdict)


def paired_cells(
    cells: Sequence[CellEvidence], of: Mapping[str, Any], against: Mapping[str, Any]
) -> list[tuple[CellEvidence, CellEvidence]]:
    """Each cell with the settings `of`, beside the one with `against` that agrees with it in everything else.

    Options of the algorithm belong to the algorithm: they may differ.
    """
    keys = [*of, *against, "algorithm"]
    wanted = {cell.settings_without(keys): cell for cell in cells if cell.matches(against)}
    firsts = [cell for cell in cells if cell.matches(of)]
    missing = [cell.entry.label for cell in firsts if cell.settings_without(keys) not in wanted]
    if missing or not firsts:
        raise InputError("cells to compare", missing, f"a cell with {dict(against)} for each with {dict(of)}")
    return [(cell, wanted[cell.settings_without(keys)]) for cell in firsts]


def distinct_game_names(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The game's short name for each configuration, and what it alone sets where several share that name."""
    flat = [dict(flat_items(config)) for config in configs]
    short = [str(one["game.name"]).rpartition("/")[2] for one in flat]
    names = []
    for one, name in zip(flat, short, strict=True):
        same = [other for other, its in zip(flat, short, strict=True) if its == name]
        varying = [key for key in one if any(other.get(key) != one[key] for other in same)]
        words = [f"{key.rpartition('.')[2]}={one[key]}" for key in varying if one[key] is not None]
        names.append(" ".join([name, *words]))
    return names
