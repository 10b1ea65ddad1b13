"""Exact values of true games: against the follower's error, and over the simplex beside what was learned."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing, Line2D
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results import colours
from stackel_bench.results.entry import Entry
from stackel_bench.sweeps.true_values import simplex_grid

MOST_GAMES = 6


def draw_landscape(results: SweepResults) -> list[Drawing]:
    """One panel per game that the sweep solved for it."""
    games: dict[int, list[Entry]] = {}
    for entry in results.finished:
        games.setdefault(results.flat.numbers[entry.cell_id]["game"], []).append(entry)
    panels = [
        (entry, sorted({e.config["budget"]["epsilon"] for e in members}))
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
    for axis, (entry, epsilons) in canvas.filled(axes, panels):
        axis.set_title(results.label_of[entry.cell_id]["instance"])
        _draw_game(axis, entry, epsilons)
    canvas.top_legend(figure, _landscape_legend(), 4)
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


def _landscape_legend() -> list[Line2D]:
    return [
        canvas.entry("max phi_eps (pessimistic)", color=colours.BLUE),
        canvas.entry("max psi_eps (optimistic)", color=colours.VERMILION),
        canvas.entry("at eps = 0", color=canvas.INK, linewidth=0.9, linestyle=canvas.DASHES),
        canvas.entry("pessimistic gap", color=colours.BLUE, linewidth=6, alpha=0.2),
    ]


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
    panels: list[_Panel] = []
    candidates = [e for e in results.finished if e.description.get("num_leader_actions") == actions]
    for entry in candidates:
        if len(panels) == MOST_PANELS or "exact" not in entry.true_values:
            continue
        records = results.tables.read_records(entry.cell_id)
        last = records[records["rung"] == records["rung"].max()]
        columns = [f"strategy_{action}" for action in range(actions)]
        learned = np.asarray(last.reindex(columns=columns), float)
        if np.isnan(learned).any():
            continue
        label, about = results.label_of[entry.cell_id], entry.description
        title = f"{label['instance']} · {label['learner']}\n"
        title += f"{about['tie_breaking']} · eps {about['epsilon']:g}"
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
