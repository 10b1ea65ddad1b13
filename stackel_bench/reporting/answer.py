"""The one picture of a study, as data: samples needed by game and learner, or how often each fails."""

import functools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from stackel_bench.families.registry import family_of
from stackel_bench.reporting.along.trends import geometric_mean
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.versus.contests import needed_logs, rival_names
from stackel_bench.results.colours import cell_colour
from stackel_bench.results.entry import Entry
from stackel_bench.statistics.verdicts import VACUOUS

MOST_LINES = 32  # of a screen: a row and each of its dots take one
NEEDED_TITLE, FAILED_TITLE = "Samples needed", "Failure probability"
_VACUOUS = (math.nan, math.nan, math.nan, VACUOUS)  # no answer could lose too much


@dataclass(frozen=True)
class Dot:
    """A number with its interval; mark is > or ≤ where it is a limit only, vacuous where there is none.

    bound: the games' own lower bound on the samples of any learner, nan if unknown.
    """

    learner: str
    tie_breaking: str
    colour: str
    value: float
    low: float
    high: float
    mark: str
    bound: float = math.nan

    @property
    def series(self) -> str:
        """What the legend calls it."""
        return f"{self.learner}, {self.tie_breaking}"


@dataclass(frozen=True)
class Row:
    """The dots of one game; the least of the theorems' budgets, and the worst case of games of its size.

    These are averaged like the dots, and nan if unknown.
    """

    label: str
    dots: tuple[Dot, ...]
    theory: float
    worst_case: float = math.nan


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


@functools.lru_cache(2)  # terminal and report show the same
def answer_of(results: SweepResults) -> Answer | None:
    """Samples needed where cells have ladders or learners stop, else failures; None if nothing has finished.

    Games that a screen has no room for are averaged: first over accuracies, then over options of a game.
    """
    if results.cells.empty:
        return None
    logs = needed_logs(results)
    entries = results.measured if logs else results.finished
    groups, averaged = _grouped(results, entries)
    shown = [label for label, place in zip(groups, _places(groups), strict=True) if place <= MOST_LINES]
    rows = []
    for label in shown:
        dots, theories, worst = [], [], []
        for (rival, tie), own in groups[label].items():
            known = [logs[entry.cell_id] for entry in own if entry.cell_id in logs]
            point = _VACUOUS if logs and not known else geometric_mean(known) if logs else _failures(own)
            bound = _mean_of([entry.metrics.get("lower_bound_samples", math.nan) for entry in own])
            dots.append(Dot(rival, tie, cell_colour(own[0].description) or "", *point, bound))
            theories.append(_mean_of([entry.metrics["theory_samples"] for entry in own]))
            worst.append(_mean_of([worst_case(entry.description) for entry in own]))
        rows.append(Row(label, tuple(dots), min(theories), min(worst)))
    deltas = tuple(sorted({float(entry.description["delta"]) for entry in entries}))
    notes = [f"{'Geometric means' if logs else 'Means'} over {averaged}."] if averaged else []
    if len(shown) < len(groups):
        notes.append(f"The first {len(shown)} of {len(groups)} games are shown.")
    return Answer(NEEDED_TITLE if logs else FAILED_TITLE, tuple(rows), deltas, " ".join(notes))


Groups = dict[str, dict[tuple[str, str], list[Entry]]]  # by row, then by learner and tie-breaking


def _grouped(results: SweepResults, entries: Sequence[Entry]) -> tuple[Groups, str]:
    """Cells by row, as fine as there is room for, and over what that averages."""
    labels, rivals = results.label_of, rival_names(results)
    names = {entry.cell_id: labels[entry.cell_id]["game_label"] for entry in entries}
    accuracies = ["accuracies"] if len({entry.description["epsilon"] for entry in entries}) > 1 else []
    levels: list[tuple[Callable[[Entry], str], list[str]]] = [
        (lambda e: f"{names[e.cell_id]} · eps {e.description['epsilon']:g}", []),
        (lambda e: names[e.cell_id], accuracies),
        (lambda e: str(e.description["game"]), [*accuracies, "options of a game"]),
    ]
    instances = {(names[i], labels[i]["instance"]) for i in names}
    random = ["random instances"] if len(instances) > len(set(names.values())) else []
    for name, averaged in levels if accuracies else levels[1:]:
        told = " and ".join([*averaged, *random])
        groups: Groups = defaultdict(lambda: defaultdict(list))
        for entry in entries:
            groups[name(entry)][rivals[entry.cell_id], entry.config["tie_breaking"]].append(entry)
        if _places(groups)[-1] <= MOST_LINES:
            break
    return groups, told


def _places(groups: Groups) -> list[int]:
    """The lines of a screen up to each row: one for its name, one per dot."""
    return list(accumulate(1 + len(dots) for dots in groups.values()))


def worst_case(row: Mapping[Any, Any]) -> float:
    """Samples below which some game of this size defeats every learner; nan where no constant is known."""
    family = family_of(row["family"])
    if family.lower_bound is None:
        return math.nan
    found = family.lower_bound(row["epsilon"], {size: int(row[size]) for size in family.sizes})
    return float(found) if found >= 1 else math.nan


def _mean_of(numbers: Sequence[float]) -> float:
    """Their geometric mean; nan if one is unknown or 0."""
    return math.exp(math.fsum(math.log(n) if n > 0 else math.nan for n in numbers) / len(numbers))


def _failures(entries: Iterable[Entry]) -> tuple[float, float, float, str]:
    """The mean failure probability at the largest budget, with the mean of its limits."""
    names = ("failure_probability", "failure_probability_low", "failure_probability_high")
    columns = [[entry.metrics[name] for entry in entries] for name in names]
    value, low, high = (math.fsum(column) / len(column) for column in columns)
    return value, low, high, ""
