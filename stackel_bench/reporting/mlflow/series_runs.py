"""One run per line of cells that differ in one swept number alone; the step of its metrics is that number."""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench.reporting.along.lines import Line, lines
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results.columns import AT_MOST, CENSORED, NEEDED
from stackel_bench.results.entry import Entry
from stackel_bench.results.names import SHORT_TIES, SYMBOLS
from stackel_bench.results.numbers import count, needed, needed_interval, small
from stackel_bench.statistics.verdicts import VACUOUS
from stackel_bench.tracking.cell_run import identity_tags
from stackel_bench.tracking.run_record import SERIES, Point, RunRecord, extra_run

LEAST_VALUES = 2
MOST_SERIES = 100
_ACCURACY = "budget.epsilon"
_FINEST = 3  # decimal places of a swept number that become part of an integer step


@dataclass(frozen=True)
class Step:
    """How the values of a key become integers: as they are, inverted, or times a power of ten."""

    key: str
    words: str
    factor: float = 1.0
    inverted: bool = False

    def of(self, value: float) -> int:
        """The step of a value."""
        return round(1 / value) if self.inverted else round(self.factor * value)


@functools.lru_cache(2)  # runs and views show the same
def _series(results: SweepResults) -> dict[Step, list[Line]]:
    """The numbers of the configuration along which some cells differ in nothing else; games' own first."""
    found = lines(results.judged_part.finished, results.flat, LEAST_VALUES)
    return {step_of(key, [x for line in known for x in line]): known for key, known in found.items()}


def series_steps(results: SweepResults) -> list[Step]:
    """What the steps of the series stand for."""
    return list(_series(results))


def step_of(key: str, values: Sequence[float]) -> Step:
    """What the step is for these values, in words too."""
    if key == _ACCURACY:
        return Step(key, "1/epsilon", inverted=True)
    for places in range(_FINEST + 1):
        factor = 10.0**places
        if all(round(value, places) == value for value in values):
            return Step(key, key if places == 0 else f"{factor:g} x {key}", factor)
    return Step(key, f"{factor:g} x {key}, rounded", factor)


def series_runs(results: SweepResults, shared: Mapping[str, str]) -> list[RunRecord]:
    """At most a hundred lines, random instances averaged at each value; shared: tags of all."""
    every = [(step, line) for step, known in _series(results).items() for line in known]
    return [_run(shared, step, line) for step, line in every[:MOST_SERIES]]


def _run(shared: Mapping[str, str], step: Step, line: Line) -> RunRecord:
    first = next(iter(line.values()))[0]
    leaf = step.key.rpartition(".")[2]
    symbol = SYMBOLS.get(leaf, leaf)
    words = first.label.split()
    kept = [word for word in words if not _names(word, step.key, symbol)]
    own = identity_tags(first)
    left_out = ("pair", "order", leaf, step.key)
    tags = {key: value for key, value in own.items() if key not in left_out}
    xs = sorted(line)
    texts = [f"{_needs(line[x])} at {x:g}" for x in (xs[0], xs[len(xs) // 2], xs[-1])]
    trend = ", ".join(dict.fromkeys(texts))
    tags |= {
        "swept": step.key,
        "trend": trend if trend.startswith(("fails", VACUOUS)) else f"needs {trend}",
        "mlflow.note.content": _description(step, line, " ".join(kept)),
    }
    points = [point for x in xs for point in _points(step.of(x), line[x])]
    name = f"{' '.join(kept)} along {symbol}"
    stamp = max(cell.finished_at for cells in line.values() for cell in cells)
    return extra_run(SERIES, shared, name, tags, points, stamp)


def _names(word: str, key: str, symbol: str) -> bool:
    """Whether a word of a run's name is the value of the key."""
    if key == _ACCURACY:
        return word.startswith("ε")
    value = word.removeprefix(key).removeprefix(symbol)
    return value != word and (value.startswith("=") or value.isdigit())


def _points(step: int, cells: Sequence[Entry]) -> list[Point]:
    """Samples needed unless some instance needs more than was tried, failure and loss at the full budget."""
    points = []
    for name in ("failure_probability", "value_suboptimality"):
        mean = float(np.mean([cell.metrics[name] for cell in cells]))
        points.append(Point(f"scaling/{name}", mean, step))
    cells = _tested(cells)
    if cells and all(AT_MOST in cell.metrics and cell.metrics[CENSORED] != 1 for cell in cells):
        middle = float(np.exp(np.mean([math.log(cell.metrics[NEEDED]) for cell in cells])))
        points.append(Point(f"scaling/{NEEDED}", middle, step))
    elif cells and all("samples_median" in cell.metrics for cell in cells):
        mean = float(np.mean([cell.metrics[NEEDED] for cell in cells]))
        points.append(Point(f"scaling/{NEEDED}", mean, step))
    return points


def _needs(cells: Sequence[Entry]) -> str:
    """Samples needed (on random instances from fewest to most); failure where there is no ladder."""
    if "–" in [needed(cell.metrics) for cell in cells]:
        rates = [cell.metrics["failure_probability"] for cell in cells]
        return f"fails {small(sum(rates) / len(rates))}"
    ordered = sorted(_tested(cells), key=lambda cell: cell.metrics[NEEDED])
    ends = dict.fromkeys(needed(cell.metrics) for cell in (*ordered[:1], *ordered[-1:]))
    return " to ".join(ends) or VACUOUS


def _tested(cells: Sequence[Entry]) -> list[Entry]:
    """Without those whose samples needed say nothing about the leader's value."""
    return [cell for cell in cells if cell.metrics["vacuous"] != 1]


def _description(step: Step, line: Line, name: str) -> str:
    """Markdown: a row per value of the key."""
    ties = {short: long for long, short in SHORT_TIES.items()}
    first = name.split()[0]
    lines = [
        f"**{name}** ({ties.get(first, first)}) along `{step.key}`: the step of the charts is {step.words}.",
        "",
        f"| {step.key} | needs | within | failed | loss | samples at most | cells |",
        "|---|---|---|---|---|---|---|",
    ]
    for x in sorted(line):
        cells = line[x]
        within = needed_interval(cells[0].metrics) if len(cells) == 1 else "–"
        means = (
            small(sum(cell.metrics[key] for cell in cells) / len(cells))
            for key in ("failure_probability", "value_suboptimality")
        )
        most = count(max(cell.metrics["samples"] for cell in cells))
        lines.append(f"| {x:g} | {_needs(cells)} | {within} | {' | '.join(means)} | {most} | {len(cells)} |")
    return "\n".join(lines)[:7900]
