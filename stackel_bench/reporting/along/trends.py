"""Samples needed along the key that a sweep varies: one line per game, learner, tie-breaking and accuracy."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stackel_bench.reporting.along.lines import NO_AXES, lines
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.versus.contests import needed_logs, rival_names
from stackel_bench.results.colours import cell_colour
from stackel_bench.statistics.ratios import LogInterval

LEAST_VALUES = 3
_NO_AXES = (*NO_AXES, "budget.delta", "budget.samples", "budget.scale")


@dataclass(frozen=True)
class Point:
    """Samples needed at one value of the key: the geometric mean over random instances; 0, inf are open ends.

    mark: > where some instance needs more than its largest budget, ≤ where the smallest one was enough.
    """

    x: float
    samples: float
    low: float
    high: float
    mark: str
    instances: int


@dataclass(frozen=True)
class Trend:
    """A line of such points, in the order of the key; without values at which no answer could fail."""

    key: str
    game: str
    learner: str
    tie_breaking: str
    epsilon: float
    colour: str
    points: tuple[Point, ...]


def trends(results: SweepResults) -> list[Trend]:
    """The lines of the key along which most cells line up at three values or more; of games before others."""
    logs = needed_logs(results)
    if not logs:
        return []
    rivals = rival_names(results)
    best: list[Trend] = []
    for key, known in lines(results.measured, results.flat, LEAST_VALUES, _NO_AXES).items():
        found = []
        for line in known:
            first = line[min(line)][0]
            known_at = {x: [logs[entry.cell_id] for entry in line[x] if entry.cell_id in logs] for x in line}
            logs_at = {x: known_at[x] for x in sorted(line) if known_at[x]}
            if len(logs_at) < 2:
                continue
            found.append(
                Trend(
                    key=key,
                    game=str(first.description["game"]),
                    learner=rivals[first.cell_id],
                    tie_breaking=first.config["tie_breaking"],
                    epsilon=first.description["epsilon"],
                    colour=cell_colour(first.description) or "",
                    points=tuple(Point(x, *geometric_mean(own), len(own)) for x, own in logs_at.items()),
                )
            )
        if sum(len(trend.points) for trend in found) > sum(len(trend.points) for trend in best):
            best = found
    return best


def geometric_mean(logs: Sequence[LogInterval]) -> tuple[float, float, float, str]:
    """Samples, low, high and mark of several cells: of estimates, or the ends of ladders too short."""
    count = len(logs)
    middles = [e.estimate if e.is_closed else e.end for e in logs]
    middle = math.fsum(middles) / count
    above, below = (any(e.estimate == side * math.inf for e in logs) for side in (1, -1))
    down = math.hypot(*(max(known - e.low, 0.0) for e, known in zip(logs, middles, strict=True))) / count
    up = math.hypot(*(max(e.high - known, 0.0) for e, known in zip(logs, middles, strict=True))) / count
    low = 0.0 if below or math.isinf(down) else math.exp(middle - down)
    high = math.inf if above or math.isinf(up) else math.exp(middle + up)
    return math.exp(middle), low, high, ">" if above else "≤" if below else ""
