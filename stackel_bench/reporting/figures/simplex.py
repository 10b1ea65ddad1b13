"""Leader value over the simplex with the learned and the optimal strategy, for 2 or 3 leader actions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing, Line2D
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results import colours
from stackel_bench.results.entry import Entry
from stackel_bench.sweeps.true_values import simplex_grid

MOST_PANELS = 4
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])


@dataclass(frozen=True, eq=False)
class _Panel:
    title: str
    entry: Entry
    learned: np.ndarray  # [replicate, action], at the largest budget
    values: np.ndarray  # [replicate], what these strategies are worth


def draw_simplex(results: SweepResults) -> list[Drawing]:
    """One drawing for games with two leader actions and one for three: a panel per cell, the first ones."""
    return [drawing for actions in (2, 3) for drawing in _draw(actions, *_panels(results, actions))]


def _panels(results: SweepResults, actions: int) -> tuple[list[_Panel], int]:
    """The first panels, and how many cells there could be at most."""
    labels = results.labels.set_index("cell_id")
    panels: list[_Panel] = []
    candidates = [e for e in results.finished if e.description.get("num_leader_actions") == actions]
    for entry in candidates:
        if len(panels) == MOST_PANELS or "exact" not in entry.true_values:
            continue
        records = results.records(entry.cell_id)
        last = records[records["rung"] == records["rung"].max()]
        columns = [f"strategy_{action}" for action in range(actions)]
        learned = np.asarray(last.reindex(columns=columns), float)
        if np.isnan(learned).any():
            continue
        instance, learner = labels.loc[entry.cell_id, ["instance", "learner"]]
        about = entry.description
        title = f"{instance} · {learner}\n{about['tie_breaking']} · eps {about['epsilon']:g}"
        panels.append(_Panel(title, entry, learned, np.asarray(last["value"], float)))
    return panels, len(candidates)


def _draw(actions: int, panels: list[_Panel], candidates: int) -> list[Drawing]:
    if not panels:
        return []
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    size = {"width": 4.7 * columns + 0.6, "height": (3.1 if actions == 2 else 4.0) * rows + 0.75}
    figure, axes = canvas.new_figure(rows, columns, top=0.75, gap=(0.6, 0.85), **size)
    for axis, panel in canvas.filled(axes, panels):
        axis.set_title(panel.title)
        (_draw_segment if actions == 2 else _draw_triangle)(axis, panel)
    canvas.top_legend(figure, _legend(actions), 4)
    cut = f" {len(panels)} of up to {candidates} cells are drawn." if len(panels) < candidates else ""
    replicates = sorted({str(len(panel.learned)) for panel in panels})
    caption = (
        "The leader's value where the follower picks among responses within eps of the best one: the "
        "worst for the leader if pessimistic, the best if optimistic (coloured); thin: among exact "
        f"best responses. Learned: {' or '.join(replicates)} replicates at the largest budget. Optimal: "
        f"the best point of the drawn grid for an exact follower.{cut}"
    )
    return [Drawing(f"simplex_{actions}", f"Leader value, {actions} leader actions", caption, figure)]


def _legend(actions: int) -> list[Line2D]:
    spot, star = (colours.GREEN, canvas.INK) if actions == 2 else (colours.ORANGE, colours.VERMILION)
    handles = [canvas.dot("learned", spot), canvas.dot("optimal", star, "*", markersize=11)]
    if actions == 2:
        handles.append(canvas.entry("responses within eps", color=colours.BLUE))
        handles.append(canvas.entry("exact follower", color=canvas.INK, linewidth=0.9))
    return handles


def _draw_segment(axes: Axes, panel: _Panel) -> None:
    first = simplex_grid(2)[:, 0]
    exact, tolerant = (panel.entry.true_values[name] for name in ("exact", "tolerant"))
    colour = colours.TIE_COLOURS[panel.entry.description["tie_breaking"]]
    axes.plot(first, tolerant, color=colour)
    axes.plot(first, exact, color=canvas.INK, linewidth=0.9)
    best = int(np.argmax(exact))
    axes.plot(first[best], exact[best], "*", color=canvas.INK, markersize=12)
    axes.plot(panel.learned[:, 0], panel.values, "o", color=colours.GREEN, alpha=0.5, markeredgewidth=0)
    axes.set_xlabel("probability of the leader's first action")
    axes.set_ylabel("leader's value")


def _draw_triangle(axes: Axes, panel: _Panel) -> None:
    points = simplex_grid(3) @ _CORNERS
    values = np.array(panel.entry.true_values["tolerant"])
    mesh = axes.tripcolor(points[:, 0], points[:, 1], values, cmap=canvas.SEQUENTIAL, rasterized=True)
    figure = axes.get_figure()
    assert figure is not None
    figure.colorbar(mesh, ax=axes, shrink=0.7, pad=0.02)
    spots = panel.learned @ _CORNERS
    axes.plot(spots[:, 0], spots[:, 1], "o", color=colours.ORANGE, alpha=0.5, markeredgewidth=0)
    best = points[int(np.argmax(panel.entry.true_values["exact"]))]
    axes.plot(*best, "*", color=colours.VERMILION, markersize=13)
    for action, (x, y) in enumerate(_CORNERS):
        axes.text(x, y + (0.03 if y else -0.03), f"action {action}", ha="center", va="bottom" if y else "top")
    axes.set_aspect("equal")
    axes.set_axis_off()
