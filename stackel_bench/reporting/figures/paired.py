"""Pessimistic against optimistic, paired: the difference per game, with intervals."""

from typing import Any

import pandas as pd

from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing, NewFigure
from stackel_bench.reporting.versus.paired import OPTIMISTIC, PESSIMISTIC
from stackel_bench.results import colours

MOST_ROWS = 30


def draw_paired(table: pd.DataFrame, pairs: int, new_figure: NewFigure = canvas.new_figure) -> list[Drawing]:
    """Dots left of zero: optimistic did better; right of it: pessimistic did."""
    if table.empty:
        return []
    names = (
        table["game"] + " · " + table["learner"] + " · eps " + table["epsilon"].map("{:g}".format)
    ).tolist()
    table = table.assign(name=names)
    games = list(dict.fromkeys(table["game"]))
    table = table.sort_values("game", key=lambda column: column.map(games.index), kind="stable")
    order = list(dict.fromkeys(table["name"]))[:MOST_ROWS]
    height = 0.3 * len(order) + 1.35
    left = min(4.2, 0.35 + 0.068 * max(len(name) for name in order))
    figure, ((losses, failures),) = new_figure(
        1, 2, width=9.6, height=height, left=left, top=0.62, bottom=0.55, gap=(0.25, 0), sharey=True
    )
    for stage, filled, offset in (("full", True, 0.16), ("middle", False, -0.16)):
        rows = table[(table["budget"] == stage) & table["name"].isin(order)]
        heights = [len(order) - 1 - order.index(name) + offset for name in rows["name"]]
        _draw_dots(losses, rows, heights, "loss_difference", filled, "_all")
        _draw_dots(failures, rows, heights, "failure_difference", filled, None)
    losses.set_yticks(range(len(order)), order[::-1])
    losses.set_ylim(-0.6, len(order) - 0.4)
    for axes, name in ((losses, "mean loss"), (failures, "failure probability")):
        axes.axvline(0, color=canvas.INK, linewidth=1)
        reach = 1.12 * max(abs(limit) for limit in axes.get_xlim())
        axes.set_xlim(-reach, reach)
        axes.set_xlabel(f"difference in {name}")
        axes.grid(axis="y", visible=False)
        side: dict[str, Any] = {"transform": axes.transAxes, "fontsize": 8.5, "va": "bottom"}
        axes.text(0.0, 1.01, "← optimistic better", color=colours.VERMILION, ha="left", **side)
        axes.text(1.0, 1.01, "pessimistic better →", color=colours.BLUE, ha="right", **side)
    dots: dict[str, Any] = {"color": canvas.INK, "marker": "o", "linewidth": 2.2}
    handles = [
        canvas.entry("full budget", **dots),
        canvas.entry("middle rung", markerfacecolor=canvas.PAPER, **dots),
        canvas.entry("interval for all rows at once", color=canvas.INK, linewidth=0.7),
    ]
    canvas.top_legend(figure, handles, 3)
    return [Drawing("paired", "Differences on the same samples", _caption(table, len(order), pairs), figure)]


def _draw_dots(
    axes: Axes, rows: pd.DataFrame, heights: list[float], metric: str, filled: bool, wide: str | None
) -> None:
    inks = [
        colours.BLUE if value > 0 else colours.VERMILION if value < 0 else canvas.MUTED
        for value in rows[metric]
    ]
    if wide is not None:
        axes.hlines(
            heights, rows[f"{metric}_low{wide}"], rows[f"{metric}_high{wide}"], colors=inks, linewidth=0.7
        )
    axes.hlines(heights, rows[f"{metric}_low"], rows[f"{metric}_high"], colors=inks, linewidth=2.2)
    for x, y, colour in zip(rows[metric], heights, inks, strict=True):
        axes.plot(x, y, "o", color=colour, markerfacecolor=colour if filled else canvas.PAPER)


def _caption(table: pd.DataFrame, shown: int, pairs: int) -> str:
    tally = table["smaller_loss"].value_counts()
    replicates = sorted({str(n) for n in table["replicates"]})
    cut = f" The first {shown} of {pairs} pairs are drawn." if shown < pairs else ""
    return (
        "Optimistic minus pessimistic on the same samples, replicate by replicate "
        f"({' or '.join(replicates)} replicates); each loss is measured against the optimum of its own "
        "rule. Thick: 95 % per row (for means of bounded variables). Thin: valid for all rows together "
        "(Bonferroni). By the "
        f"thin intervals pessimistic loses less in {tally.get(PESSIMISTIC, 0)} and optimistic in "
        f"{tally.get(OPTIMISTIC, 0)} of {len(table)} comparisons; the other {tally.get('open', 0)} are "
        f"open.{cut}"
    )
