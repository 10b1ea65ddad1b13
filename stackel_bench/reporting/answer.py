"""The one picture of a study, as data: samples needed by game and learner, or how often each fails."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stackel_bench.reporting.contests import needed_logs, rival_names
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.trends import geometric_mean
from stackel_bench.results.colours import cell_colour
from stackel_bench.results.entry import Entry

MOST_ROWS = 12
MOST_DOTS = 120
NEEDED_TITLE, FAILED_TITLE = "Samples needed", "Failure probability"


@dataclass(frozen=True)
class Dot:
    """A number with its interval; mark is > or ≤ where it is a limit only."""

    learner: str
    tie_breaking: str
    colour: str
    value: float
    low: float
    high: float
    mark: str

    @property
    def series(self) -> str:
        """What the legend calls it."""
        return f"{self.learner}, {self.tie_breaking}"


@dataclass(frozen=True)
class Row:
    """The dots of one game, and the budget of its theorem (the smallest of its cells; nan if unknown)."""

    label: str
    dots: tuple[Dot, ...]
    theory: float


@dataclass(frozen=True)
class Answer:
    """Rows of one quantity; note says what was averaged or left out."""

    title: str
    rows: tuple[Row, ...]
    deltas: tuple[float, ...]
    note: str

    @property
    def counts_samples(self) -> bool:
        """Whether the quantity is samples needed, on a logarithmic axis."""
        return self.title == NEEDED_TITLE

    @property
    def series(self) -> list[Dot]:
        """The first dot of every learner and tie-breaking, in the order in which they were planned."""
        return list({dot.series: dot for row in self.rows for dot in row.dots}.values())


def answer_of(results: SweepResults) -> Answer | None:
    """Samples needed where cells have ladders or learners stop, else failures; None if nothing has finished.

    Games that a figure has no room for are averaged: first over accuracies, then over options of a game.
    """
    if results.cells.empty:
        return None
    logs = needed_logs(results)
    title = NEEDED_TITLE if logs else FAILED_TITLE
    entries = [entry for entry in results.finished if not logs or entry.cell_id in logs]
    groups, note = _grouped(results, entries)
    rivals = rival_names(results)
    rows = []
    for label, members in groups.items():
        by_series: dict[tuple[str, str], list[Entry]] = defaultdict(list)
        for entry in members:
            by_series[rivals[entry.cell_id], entry.config["tie_breaking"]].append(entry)
        dots = []
        for (rival, tie), own in by_series.items():
            point = geometric_mean([logs[entry.cell_id] for entry in own]) if logs else _failures(own)
            dots.append(Dot(rival, tie, cell_colour(own[0].description) or "", *point))
        theory = min(entry.metrics["theory_samples"] for entry in members)
        rows.append(Row(label, tuple(dots), theory))
    deltas = tuple(sorted({float(entry.description["delta"]) for entry in entries}))
    return Answer(title, tuple(rows), deltas, note)


def _grouped(results: SweepResults, entries: Sequence[Entry]) -> tuple[dict[str, list[Entry]], str]:
    """Cells by row: as fine as there is room for, and a sentence on what that leaves out."""
    labels = results.labels.set_index("cell_id")["game_label"].to_dict()
    instances = results.labels.set_index("cell_id")["instance"].to_dict()
    accuracies = len({entry.description["epsilon"] for entry in entries}) > 1
    series = len({(entry.description["algorithm"], entry.config["tie_breaking"]) for entry in entries})
    room = max(3, min(MOST_ROWS, MOST_DOTS // series))
    levels = [
        ([f"{labels[e.cell_id]} · eps {e.description['epsilon']:g}" for e in entries], ""),
        ([labels[e.cell_id] for e in entries], " over accuracies" if accuracies else ""),
        ([str(e.description["game"]) for e in entries], " over accuracies and options of a game"),
    ]
    chosen, averaged = next(
        (found for found in levels[0 if accuracies else 1 :] if len(set(found[0])) <= room), levels[-1]
    )
    groups: dict[str, list[Entry]] = defaultdict(list)
    for label, entry in zip(chosen, entries, strict=True):
        groups[label].append(entry)
    if any(
        len({instances[e.cell_id] for e in own}) > len({labels[e.cell_id] for e in own})
        for own in groups.values()
    ):
        averaged = f"{averaged or ' over'}{' and' if averaged else ''} random instances"
    notes = [f"Geometric means{averaged}."] if averaged else []
    if len(groups) > room:
        notes.append(f"The first {room} of {len(groups)} games are shown.")
    return dict(list(groups.items())[:room]), " ".join(notes)


def _failures(entries: Iterable[Entry]) -> tuple[float, float, float, str]:
    """The mean failure probability at the largest budget, with the mean of its limits."""
    names = ("failure_probability", "failure_probability_low", "failure_probability_high")
    columns = [[entry.metrics[name] for entry in entries] for name in names]
    value, low, high = (math.fsum(column) / len(column) for column in columns)
    return value, low, high, ""
