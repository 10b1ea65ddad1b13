"""Exploration of sequential games: how well it covered the game."""

from __future__ import annotations

import numpy as np

from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Drawing
from stackel_bench.reporting.sweep_results import SweepResults

MOST_ROWS = 24


def draw_coverage(results: SweepResults) -> list[Drawing]:
    """One drawing; none where learners do not measure it."""
    rungs = results.labelled(results.rungs)
    rungs = rungs.drop_duplicates(["pair", "rung"])  # both tie-breakings explored together
    if "diagnostic_coverage" not in rungs or rungs["diagnostic_coverage"].isna().all():
        return []
    rows = rungs[rungs.groupby("cell_id")["diagnostic_coverage"].transform("count") > 0]
    share = rows["diagnostic_coverage"] / rows["diagnostic_coverage_bound"]
    names = rows["instance"] + " · " + rows["learner"] + " · eps " + rows["epsilon"].map("{:g}".format)
    table = rows.assign(share=share, name=names).pivot_table(
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
    cut = f" The first {len(shown)} of {len(table)} cells are drawn." if len(shown) < len(table) else ""
    caption = (
        "Largest ratio between what some policy can reach and what exploration sampled, over significant "
        "states and all actions, as a share of the bound 2SBH that the reward-free theorem guarantees; the "
        f"worst leader action, mean over replicates ({replicates:.0f} or more). Above 1: not covered as "
        f"promised; a dash: some significant state was never reached.{cut}"
    )
    return [Drawing("coverage", "Coverage of exploration", caption, figure)]
