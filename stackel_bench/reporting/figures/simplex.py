"""Leader value over the simplex with the learned and the optimal strategy, for 2 or 3 leader actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from stackel_bench.errors import InputError
from stackel_bench.games.catalog import load_game
from stackel_bench.models import PayoffTable
from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing, Line2D
from stackel_bench.reporting.labels import label_cells
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.tracking.journal import Entry

MOST_DRAWINGS = 4
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])


def draw_simplex(results: SweepResults) -> list[Drawing]:
    """One drawing per cell with strategies of 2 or 3 entries, for the first cells of a large sweep."""
    labels = label_cells(results.entries).set_index("cell_id")
    found: list[Drawing] = []
    small = [entry for entry in results.finished if entry.description.get("num_leader_actions") in (2, 3)]
    for entry in small:
        if len(found) == MOST_DRAWINGS:
            break
        table = _table(entry)
        if table is None:
            continue
        strategies = _strategies(results.records(entry.cell_id))
        if strategies is not None:
            label = labels.loc[entry.cell_id]
            name = f"{label['instance']} · {label['learner']} · {entry.description['tie_breaking']}"
            found.append(_draw(len(found) + 1, name, entry, table, strategies))
    return found


def _table(entry: Entry) -> PayoffTable | None:
    try:
        game: Any = load_game(**entry.config["game"])
    except InputError:  # made from a file that is not here any more
        return None
    table = getattr(game, "table", None)
    return table if isinstance(table, PayoffTable) else None


def _strategies(records: pd.DataFrame) -> np.ndarray | None:
    """Learned strategies at the largest budget, [replicate, action]."""
    columns = sorted(name for name in records.columns if name.startswith("strategy_"))
    if not columns or records[columns].isna().any(axis=None):
        return None
    return records.loc[records["rung"] == records["rung"].max(), columns].to_numpy(float)


def leader_value(table: PayoffTable, strategies: np.ndarray, slack: float, tie: str) -> np.ndarray:
    """phi_slack or psi_slack of each strategy (last axis sums to one), responses within slack of the best."""
    leader, follower = strategies @ table.leader_means, strategies @ table.follower_means
    allowed = follower >= follower.max(axis=-1, keepdims=True) - slack - 1e-12
    if tie == "pessimistic":
        return np.where(allowed, leader, np.inf).min(axis=-1)
    return np.where(allowed, leader, -np.inf).max(axis=-1)


def _draw(position: int, name: str, entry: Entry, table: PayoffTable, learned: np.ndarray) -> Drawing:
    tie, epsilon = entry.description["tie_breaking"], float(entry.description["epsilon"])
    if learned.shape[1] == 2:
        figure, ((axes,),) = canvas.new_figure(1, 1, width=7.2, height=3.9, top=0.45)
        _draw_segment(axes, table, learned, epsilon, tie)
        canvas.top_legend(figure, axes.get_legend_handles_labels()[0], 3)
    else:
        figure, ((axes,),) = canvas.new_figure(1, 1, width=6.6, height=5.4, left=0.2, top=0.5, bottom=0.3)
        handles = _draw_triangle(axes, table, learned, epsilon, tie)
        canvas.top_legend(figure, handles, 3)
    caption = (
        f"The leader's value if the follower picks, {'worst' if tie == 'pessimistic' else 'best'} for "
        f"the leader, among responses within eps = {epsilon:g} of the best (solid, or colour) or exact "
        f"ones (thin). Learned: all {len(learned)} replicates at the largest budget. Optimal: best "
        "point of the drawn grid for exact responses."
    )
    return Drawing(f"simplex_{position}", f"Leader value over the simplex: {name}", caption, figure)


def _draw_segment(axes: Axes, table: PayoffTable, learned: np.ndarray, epsilon: float, tie: str) -> None:
    first = np.linspace(0, 1, 801)
    grid = np.stack([first, 1 - first], axis=1)
    colour = canvas.TIE_COLOURS[tie]
    exact = leader_value(table, grid, 0.0, tie)
    axes.plot(first, leader_value(table, grid, epsilon, tie), color=colour, label=f"within eps = {epsilon:g}")
    axes.plot(first, exact, color=canvas.INK, linewidth=0.9, label="exact follower")
    best = int(exact.argmax())
    axes.plot(first[best], exact[best], "*", color=canvas.INK, markersize=12, label="optimal")
    values = leader_value(table, learned, 0.0, tie)
    axes.plot(learned[:, 0], values, "o", color=canvas.GREEN, alpha=0.35, markeredgewidth=0, label="learned")
    axes.set_xlabel("probability of the leader's first action")
    axes.set_ylabel("leader's value")


def _draw_triangle(
    axes: Axes, table: PayoffTable, learned: np.ndarray, epsilon: float, tie: str, steps: int = 90
) -> list[Line2D]:
    index = np.array([(i, j) for i in range(steps + 1) for j in range(steps + 1 - i)])
    grid = np.column_stack([index, steps - index.sum(axis=1)]) / steps
    values = leader_value(table, grid, epsilon, tie)
    points = grid @ _CORNERS
    colours = axes.tripcolor(
        points[:, 0], points[:, 1], values, cmap=canvas.SEQUENTIAL, shading="flat", rasterized=True
    )
    axes.figure.colorbar(colours, ax=axes, label="leader's value", shrink=0.7)
    best = points[int(leader_value(table, grid, 0.0, tie).argmax())]
    spots = learned @ _CORNERS
    axes.plot(spots[:, 0], spots[:, 1], "o", color=canvas.ORANGE, alpha=0.5, markeredgewidth=0)
    axes.plot(*best, "*", color=canvas.VERMILION, markersize=13)
    for action, (x, y) in enumerate(_CORNERS):
        axes.text(x, y + (0.03 if y else -0.03), f"action {action}", ha="center", va="bottom" if y else "top")
    axes.set_aspect("equal")
    axes.set_axis_off()
    return [
        Line2D([], [], linestyle="", marker="o", color=canvas.ORANGE, label="learned"),
        Line2D([], [], linestyle="", marker="*", markersize=11, color=canvas.VERMILION, label="optimal"),
    ]
