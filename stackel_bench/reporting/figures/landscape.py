"""The gap landscape: max phi_eps and max psi_eps against eps, exact, for the small games of a sweep."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing, Line2D
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results import colours
from stackel_bench.results.entry import Entry

MOST_GAMES = 6


def draw_landscape(results: SweepResults) -> list[Drawing]:
    """One panel per game that the sweep solved for it."""
    games: dict[str, list[Entry]] = {}
    for entry in results.finished:
        games.setdefault(json.dumps(dict(entry.config["game"]), sort_keys=True), []).append(entry)
    labels = results.labels.set_index("cell_id")["instance"]
    panels = [
        (str(labels[entry.cell_id]), entry, sorted({e.config["budget"]["epsilon"] for e in members}))
        for members in games.values()
        for entry in [e for e in members if "slacks" in e.true_values][:1]
    ][:MOST_GAMES]
    if not panels:
        return []
    columns = min(3, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure, axes = canvas.new_figure(
        rows, columns, width=3.3 * columns + 0.8, height=2.6 * rows + 0.9, top=0.7, gap=(0.4, 0.75)
    )
    for row in axes:
        row[0].set_ylabel("leader's value")
    for axis, (name, entry, epsilons) in canvas.filled(axes, panels):
        axis.set_title(name)
        _draw_game(axis, entry, epsilons)
    canvas.top_legend(figure, _legend(), 4)
    missing = len(games) - len(panels)
    cut = f" {missing} more games are left out: too large, of unknown truth, or too many." if missing else ""
    caption = (
        "Exact values of the true games, without samples. A pessimistic leader who must allow for a "
        "follower that errs by eps gets max phi_eps; the distance to its level at zero is the gap. "
        f"Optimistic, max psi_eps can only grow. Grey lines mark the values of eps used here.{cut}"
    )
    return [Drawing("gap_landscape", "The value that a follower's small errors can cost", caption, figure)]


def _draw_game(axes: Axes, entry: Entry, epsilons: Sequence[float]) -> None:
    slacks = entry.true_values["slacks"]
    for epsilon in epsilons:
        if epsilon <= slacks[-1]:
            axes.axvline(epsilon, color=canvas.MUTED, linewidth=0.8)
    for tie, colour in colours.TIE_COLOURS.items():
        curve = entry.true_values[tie]
        axes.plot(slacks, curve, color=colour, drawstyle="steps-post")
        axes.axhline(curve[0], color=colour, linewidth=0.9, linestyle=canvas.DASHES)
    pessimistic = entry.true_values["pessimistic"]
    axes.fill_between(
        slacks, pessimistic, pessimistic[0], step="post", color=colours.BLUE, alpha=0.12, linewidth=0
    )
    axes.set_xlabel("eps")


def _legend() -> list[Line2D]:
    return [
        canvas.entry("max phi_eps (pessimistic)", color=colours.BLUE),
        canvas.entry("max psi_eps (optimistic)", color=colours.VERMILION),
        canvas.entry("at eps = 0", color=canvas.INK, linewidth=0.9, linestyle=canvas.DASHES),
        canvas.entry("pessimistic gap", color=colours.BLUE, linewidth=6, alpha=0.2),
    ]
