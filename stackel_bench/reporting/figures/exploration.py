"""Exploration of sequential games: how well it covered the game, and where the episodes went."""

from __future__ import annotations

import numpy as np
import pandas as pd

from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Drawing
from stackel_bench.reporting.sweep_results import SweepResults

MOST_ROWS = 24
_PHASE = "diagnostic_episodes_"


def draw_exploration(results: SweepResults) -> list[Drawing]:
    """Drawings of what the diagnostics tell; none where a sweep has no such columns."""
    rungs = results.labelled(results.rungs)
    rungs = rungs.drop_duplicates(["pair", "rung"])  # both tie-breakings explored together
    return [*_draw_coverage(rungs), *_draw_phases(rungs)]


def _names(rows: pd.DataFrame) -> pd.Series:
    return rows["instance"] + " · " + rows["learner"] + " · eps " + rows["epsilon"].map("{:g}".format)


def _cut(shown: int, total: int) -> str:
    return f" The first {shown} of {total} cells are drawn." if shown < total else ""


def _draw_coverage(rungs: pd.DataFrame) -> list[Drawing]:
    if "diagnostic_coverage" not in rungs or rungs["diagnostic_coverage"].isna().all():
        return []
    rows = rungs[rungs.groupby("cell_id")["diagnostic_coverage"].transform("count") > 0]
    share = rows["diagnostic_coverage"] / rows["diagnostic_coverage_bound"]
    table = rows.assign(share=share, name=_names(rows)).pivot_table(
        index="name", columns="rung", values="share", sort=False
    )
    shown = table.head(MOST_ROWS)
    left = min(4.2, 0.35 + 0.068 * max(len(str(name)) for name in shown.index))
    figure, ((axes,),) = canvas.new_figure(
        1,
        1,
        width=left + 0.62 * len(shown.columns) + 1.2,
        height=0.3 * len(shown) + 1.0,
        left=left,
        bottom=0.55,
    )
    logs = np.log10(np.maximum(shown.to_numpy(float), 1e-9))
    axes.imshow(logs, cmap=canvas.SEQUENTIAL.reversed(), aspect="auto", vmin=-2, vmax=1)
    for (row, column), value in np.ndenumerate(shown.to_numpy(float)):
        if np.isfinite(value):
            ink = "white" if logs[row, column] < -0.7 else "#1f2329"
            axes.text(column, row, f"{value:.2g}", ha="center", va="center", fontsize=8, color=ink)
        else:
            axes.text(column, row, "–", ha="center", va="center", fontsize=8)
    axes.set_yticks(range(len(shown)), [str(name) for name in shown.index])
    axes.set_xticks(range(len(shown.columns)), [str(int(rung) + 1) for rung in shown.columns])
    axes.set_xlabel("rung of the budget ladder")
    axes.grid(visible=False)
    replicates = rows["replicates"].min()
    caption = (
        "Largest ratio between what some policy can reach and what exploration sampled, over significant "
        "states and all actions, as a share of the bound 2SBH that the reward-free theorem guarantees; the "
        f"worst leader action, mean over replicates ({replicates:.0f} or more). Above 1: not covered as "
        f"promised; a dash: some significant state was never reached.{_cut(len(shown), len(table))}"
    )
    return [Drawing("coverage", "Coverage of exploration", caption, figure)]


def _draw_phases(rungs: pd.DataFrame) -> list[Drawing]:
    phases = [name for name in rungs.columns if name.startswith(_PHASE)]
    if not phases:
        return []
    top_rung = rungs[rungs["rung"] == rungs.groupby("cell_id")["rung"].transform("max")]
    rows = top_rung[top_rung[phases].notna().any(axis=1)]
    shown = rows.head(MOST_ROWS)
    names = _names(shown).tolist()
    left = min(4.2, 0.35 + 0.068 * max(len(name) for name in names))
    figure, ((axes,),) = canvas.new_figure(
        1, 1, width=left + 5.6, height=0.3 * len(shown) + 1.25, left=left, top=0.45, bottom=0.55
    )
    shares = shown[phases].fillna(0.0)
    shares = shares.div(shares.sum(axis=1), axis=0)
    heights = np.arange(len(shown))[::-1]
    start = np.zeros(len(shown))
    handles = []
    for position, phase in enumerate(phases):
        colour = canvas.SERIES[position % len(canvas.SERIES)]
        axes.barh(heights, shares[phase], left=start, color=colour, height=0.66)
        label = phase.removeprefix(_PHASE).replace("_", " ")
        handles.append(canvas.entry(label, color=colour, linewidth=6))
        start = start + shares[phase].to_numpy()
    for height, samples in zip(heights, shown["samples"], strict=True):
        axes.text(1.01, height, f"{samples:.2e}", va="center", fontsize=8)
    axes.set_yticks(heights, names)
    axes.set_xlim(0, 1.16)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "25 %", "50 %", "75 %", "100 %"])
    axes.set_xlabel("share of the episodes")
    axes.grid(axis="y", visible=False)
    canvas.top_legend(figure, handles, 6)
    caption = (
        "Episodes by phase at the largest budget, mean over replicates; the total per replicate is written "
        f"beside the bar.{_cut(len(shown), len(rows))}"
    )
    return [Drawing("episodes", "Where the episodes went", caption, figure)]
