"""The gap landscape: max phi_eps and max psi_eps against eps, exact, for the small games of a sweep.

What is drawn is decided by the number and the sizes of the games, never by how long solving them takes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.families.oracles import oracle_of
from stackel_bench.families.sizes import SIZES
from stackel_bench.models import TieBreaking
from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing, Line2D
from stackel_bench.reporting.figures.true_games import game_of, say_gone
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results import colours
from stackel_bench.results.entry import Entry

MOST_GAMES = 6
MOST_ENTRIES = 20_000  # product of a game's sizes; each one is solved 2 x 65 times
MOST_MIXED_ENTRIES = 256  # the same where the leader mixes: pessimistic values need a search then
_POINTS = 65


@dataclass(frozen=True, eq=False)
class _Panel:
    name: str
    epsilons: Sequence[float]  # that the sweep uses
    values: Mapping[TieBreaking, np.ndarray]  # at each slack; empty if the game cannot be loaded any more


def draw_landscape(results: SweepResults) -> list[Drawing]:
    """One panel per game; none where no game is small enough."""
    games: dict[str, list[Entry]] = {}
    for entry in results.finished:
        games.setdefault(json.dumps(dict(entry.config["game"]), sort_keys=True), []).append(entry)
    largest = max((entry.config["budget"]["epsilon"] for entry in results.finished), default=0.1)
    slacks = np.linspace(0, max(0.5, min(1.0, 2 * largest)), _POINTS)
    panels = _panels(results, list(games.values()), slacks)
    if not panels:
        return []
    columns = min(3, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure, axes = canvas.new_figure(
        rows, columns, width=3.3 * columns + 0.8, height=2.6 * rows + 0.9, top=0.7, gap=(0.4, 0.75)
    )
    for row in axes:
        row[0].set_ylabel("leader's value")
    for axis, panel in canvas.filled(axes, panels):
        _draw_game(axis, panel, slacks)
    canvas.top_legend(figure, _legend(), 4)
    missing = len(games) - len(panels)
    cut = f" {missing} more games are left out: too large, of unknown truth, or too many." if missing else ""
    caption = (
        "Exact values of the true games, without samples. A pessimistic leader who must allow for a "
        "follower that errs by eps gets max phi_eps; the distance to its level at zero is the gap. "
        f"Optimistic, max psi_eps can only grow. Grey lines mark the values of eps used here.{cut}"
    )
    return [Drawing("gap_landscape", "The value that a follower's small errors can cost", caption, figure)]


def _panels(results: SweepResults, games: list[list[Entry]], slacks: np.ndarray) -> list[_Panel]:
    """The first games that are small enough."""
    labels = results.labels.set_index("cell_id")["instance"]
    panels: list[_Panel] = []
    for members in games:
        values = None if len(panels) == MOST_GAMES else _solve(members[0], slacks)
        if values is not None:
            epsilons = sorted({entry.config["budget"]["epsilon"] for entry in members})
            panels.append(_Panel(str(labels[members[0].cell_id]), epsilons, values))
    return panels


def _solve(entry: Entry, slacks: np.ndarray) -> Mapping[TieBreaking, np.ndarray] | None:
    """The values, empty for a game that is gone; None for one that is too large or has no known truth."""
    entries = math.prod(int(entry.description.get(name) or 1) for name in SIZES)
    if entries > MOST_ENTRIES:
        return None
    game = game_of(entry)
    if game is None:
        return {}
    try:
        oracle: Oracle = oracle_of(game)
    except InputError:
        return None
    if not hasattr(oracle, "leader_values") and entries > MOST_MIXED_ENTRIES:
        return None
    return {
        tie: np.array([oracle.stackelberg_value(float(slack), tie).low for slack in slacks])
        for tie in TieBreaking
    }


def _draw_game(axes: Axes, panel: _Panel, slacks: np.ndarray) -> None:
    axes.set_title(panel.name)
    if not panel.values:
        say_gone(axes)
        return
    for epsilon in panel.epsilons:
        if epsilon <= slacks[-1]:
            axes.axvline(epsilon, color=canvas.MUTED, linewidth=0.8)
    for tie, curve in panel.values.items():
        axes.plot(slacks, curve, color=colours.TIE_COLOURS[str(tie)], drawstyle="steps-post")
        axes.axhline(curve[0], color=colours.TIE_COLOURS[str(tie)], linewidth=0.9, linestyle=canvas.DASHES)
    pessimistic = panel.values[TieBreaking.PESSIMISTIC]
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
