"""Calibration: the failure probability that was promised, delta, against the one that was measured."""

from __future__ import annotations

import math

import numpy as np

from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Drawing
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results import colours
from stackel_bench.results.numbers import span

MOST_POINTS = 400


def draw_calibration(results: SweepResults) -> list[Drawing]:
    """Every cell at its largest budget, side by side within its delta."""
    cells = results.labelled(results.cells)
    shown = cells.head(MOST_POINTS)
    deltas = sorted(shown["delta"].unique())
    ties = [tie for tie in colours.TIE_COLOURS if tie in set(shown["tie_breaking"])]
    names = list(dict.fromkeys(shown["learner"]))
    markers = {name: canvas.MARKERS[k % len(canvas.MARKERS)] for k, name in enumerate(names)}
    handles = [canvas.dot(tie, colours.TIE_COLOURS[tie]) for tie in ties]
    handles += [canvas.dot(str(learner), canvas.INK, marker) for learner, marker in markers.items()]
    handles += [canvas.entry("delta", color=canvas.INK, linewidth=1, linestyle=canvas.DASHES)]
    columns = 5
    top = canvas.legend_height(len(handles), columns)
    figure, ((axes,),) = canvas.new_figure(1, 1, width=8.4, height=3.6 + top, top=0.1 + top)
    for position, delta in enumerate(deltas):
        rows = shown[shown["delta"] == delta].sort_values(["learner", "tie_breaking"], kind="stable")
        spread = np.linspace(-0.4, 0.4, len(rows)) if len(rows) > 1 else np.zeros(1)
        ends = position - 0.47, position + 0.47
        axes.hlines(delta, *ends, color=canvas.INK, linewidth=1, linestyle=canvas.DASHES)
        for offset, row in zip(spread, rows.to_dict("records"), strict=True):
            colour = colours.TIE_COLOURS[row["tie_breaking"]]
            x = position + float(offset)
            full = row["samples"] >= 0.999 * row["theory_samples"]
            low, high = row["failure_probability_low"], row["failure_probability_high"]
            axes.plot([x, x], [low, high], color=colour, linewidth=1.2, alpha=0.7)
            axes.plot(
                x,
                row["failure_probability"],
                marker=markers[row["learner"]],
                color=colour,
                markerfacecolor=colour if full else canvas.PAPER,
            )
    canvas.zero_friendly_log(axes, 10.0 ** math.floor(-math.log10(shown["replicates"].max())), 1.0)
    axes.set_xlim(-0.5, len(deltas) - 0.5)
    axes.set_xticks(range(len(deltas)), [f"delta = {delta:g}" for delta in deltas])
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("measured failure probability")
    canvas.top_legend(figure, handles, columns)
    cut = f" {len(shown)} of {len(cells)} cells are drawn." if len(shown) < len(cells) else ""
    replicates = span(cells["replicates"])
    caption = (
        "Colour is the tie-breaking, the marker the learner. One point per cell at its largest budget, with "
        f"its exact 95 % interval ({replicates} replicates). "
        "Filled: at least the theorem's budget, for which delta is promised to the paper's learner; "
        "hollow: less. Verdicts use one-sided tests, so an interval may touch the line where a verdict "
        f"says holds.{cut}"
    )
    return [Drawing("calibration", "Promised and measured failure probability", caption, figure)]
