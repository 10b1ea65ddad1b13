"""The gap landscape: max phi_eps and max psi_eps against eps, exact, for the small games of a sweep."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.families.games import load_game
from stackel_bench.families.oracles import oracle_of
from stackel_bench.families.sizes import SIZES
from stackel_bench.models import TieBreaking
from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing, Line2D
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results.entry import Entry

MOST_GAMES = 6
MOST_ENTRIES = 20_000  # product of a game's sizes; larger ones take too long to solve 2 x 65 times
_POINTS = 65
_SECONDS = 2.0  # for all games together; what is not solved by then is left out and counted


def draw_landscape(results: SweepResults) -> list[Drawing]:
    """One panel per game; none where no game is small enough."""
    labels = results.labels.set_index("cell_id")["instance"]
    games: dict[str, list[Entry]] = {}
    for entry in results.finished:
        games.setdefault(json.dumps(dict(entry.config["game"]), sort_keys=True), []).append(entry)
    largest = max((entry.config["budget"]["epsilon"] for entry in results.finished), default=0.1)
    slacks = np.linspace(0, max(0.5, min(1.0, 2 * largest)), _POINTS)
    deadline = time.monotonic() + _SECONDS
    solved: list[tuple[str, Mapping[TieBreaking, np.ndarray], list[float]]] = []
    for members in games.values():
        if len(solved) == MOST_GAMES or time.monotonic() > deadline:
            break
        values = _solve(members[0], slacks, deadline)
        if values is not None:
            epsilons = sorted({entry.config["budget"]["epsilon"] for entry in members})
            solved.append((str(labels[members[0].cell_id]), values, epsilons))
    if not solved:
        return []
    columns = min(3, len(solved))
    rows = math.ceil(len(solved) / columns)
    figure, axes = canvas.new_figure(
        rows, columns, width=3.3 * columns + 0.8, height=2.6 * rows + 0.9, top=0.7, gap=(0.4, 0.75)
    )
    flat = [panel for row in axes for panel in row]
    for panel, (name, values, epsilons) in zip(flat, solved, strict=False):
        _draw_game(panel, name, slacks, values, epsilons)
    for panel in flat[len(solved) :]:
        panel.set_visible(False)
    for row in axes:
        row[0].set_ylabel("leader's value")
    canvas.top_legend(figure, _legend(), 4)
    missing = len(games) - len(solved)
    cut = f" {missing} more games are left out: too large, or too many." if missing else ""
    caption = (
        "Exact values of the true games, without samples. A pessimistic leader who must allow for a "
        "follower that errs by eps gets max phi_eps; the distance to its level at zero is the gap. "
        f"Optimistic, max psi_eps can only grow. Grey lines mark the values of eps used here.{cut}"
    )
    return [Drawing("gap_landscape", "The value that a follower's small errors can cost", caption, figure)]


def _solve(entry: Entry, slacks: np.ndarray, deadline: float) -> Mapping[TieBreaking, np.ndarray] | None:
    sizes = [entry.description.get(name) for name in SIZES]
    if math.prod(int(size) for size in sizes if size) > MOST_ENTRIES:
        return None
    try:
        oracle = oracle_of(load_game(**entry.config["game"]))
    except InputError:  # made from a file that is not here any more
        return None
    values: dict[TieBreaking, Any] = {tie: [] for tie in TieBreaking}
    for slack in slacks:
        if time.monotonic() > deadline:
            return None
        for tie in TieBreaking:
            values[tie].append(oracle.stackelberg_value(float(slack), tie).low)
    return {tie: np.array(found) for tie, found in values.items()}


def _draw_game(
    axes: Axes, name: str, slacks: np.ndarray, values: Mapping[TieBreaking, np.ndarray], epsilons: list[float]
) -> None:
    for epsilon in epsilons:
        if epsilon <= slacks[-1]:
            axes.axvline(epsilon, color=canvas.MUTED, linewidth=0.8)
    for tie, curve in values.items():
        axes.plot(slacks, curve, color=canvas.TIE_COLOURS[str(tie)], drawstyle="steps-post")
        axes.axhline(curve[0], color=canvas.TIE_COLOURS[str(tie)], linewidth=0.9, linestyle=(0, (6, 4)))
    pessimistic = values[TieBreaking.PESSIMISTIC]
    axes.fill_between(
        slacks, pessimistic, pessimistic[0], step="post", color=canvas.BLUE, alpha=0.12, linewidth=0
    )
    axes.set_title(name)
    axes.set_xlabel("eps")


def _legend() -> list[Line2D]:
    dashes = (0, (6, 4))
    return [
        Line2D([], [], color=canvas.BLUE, label="max phi_eps (pessimistic)"),
        Line2D([], [], color=canvas.VERMILION, label="max psi_eps (optimistic)"),
        Line2D([], [], color=canvas.INK, linewidth=0.9, linestyle=dashes, label="at eps = 0"),
        Line2D([], [], color=canvas.BLUE, linewidth=6, alpha=0.2, label="pessimistic gap"),
    ]
