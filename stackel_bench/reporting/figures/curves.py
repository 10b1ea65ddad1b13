"""Learning curves: value suboptimality and failure probability against samples, one figure per game."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from stackel_bench.reporting.answer import worst_case
from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing, Line2D, NewFigure
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results import colours
from stackel_bench.results.colours import cell_colour
from stackel_bench.results.numbers import count

MOST_GAMES, MOST_EPSILONS = 8, 4
FAR = 30.0  # a theorem's budget that is so many times beyond the largest one drawn is an arrow
_READING = (
    "Lines with markers are means (top, with 95 % intervals for bounded means) and shares of "
    "failed replicates (bottom, with exact 95 % binomial intervals); dotted lines without markers are "
    "medians. Dashed horizontals: the loss that the guarantee allows, gap + eps, and delta. Vertical lines: "
    "the theorem's budget (an arrow where it is far beyond) and, where its constant is known and it is "
    "inside the plot, the lower bound. Both axes are logarithmic, with zero kept visible. "
    f"{canvas.COLOURS_SAY}"
)
_STOPPED = (
    "Thick bars are learners that stop by themselves: from the median to the 90 % quantile of the samples "
    "that they used, at their mean loss and share of failed replicates (thin lines: 95 % intervals)."
)
USED = "samples used, median to 90 %"
_BOUND: dict[str, Any] = {"color": canvas.MUTED, "linewidth": 1.2, "linestyle": (0, (1, 1.5))}
_BAR: dict[str, Any] = {"linewidth": 5, "alpha": 0.5, "solid_capstyle": "butt"}


def draw_curves(results: SweepResults, new_figure: NewFigure = canvas.new_figure) -> list[Drawing]:
    """One drawing per game that has a ladder of budgets; the first ones of a large sweep."""
    rungs = results.labelled(results.rungs)
    ladders = rungs[rungs.groupby("cell_id")["rung"].transform("max") > 0]
    games = list(dict.fromkeys(ladders["instance"]))
    stopped = results.labelled(results.cells[results.stopped])
    rows = pd.concat([ladders, stopped]) if len(stopped) else ladders.assign(samples_median=math.nan)
    drawings = []
    for position, instance in enumerate(games[:MOST_GAMES]):
        members = rows[rows["instance"] == instance]
        left_out = _left_out(members, len(games) if position == 0 else 0)
        drawings.append(_draw_game(position, str(instance), members, left_out, new_figure))
    return drawings


def _left_out(rows: pd.DataFrame, games: int) -> str:
    """What a reader must know is missing from the figure."""
    notes = []
    if games > MOST_GAMES:
        notes.append(f"Curves of {MOST_GAMES} of {games} games are drawn.")
    if rows["epsilon"].nunique() > MOST_EPSILONS:
        notes.append(f"{MOST_EPSILONS} of {rows['epsilon'].nunique()} values of eps are drawn.")
    return " ".join([*notes, "All numbers: tables/rungs.csv."] if notes else notes)


def _draw_game(
    position: int, instance: str, rows: pd.DataFrame, left_out: str, new_figure: NewFigure
) -> Drawing:
    epsilons = sorted(rows.loc[rows["samples_median"].isna(), "epsilon"].unique())[:MOST_EPSILONS]
    learners = list(dict.fromkeys(rows["learner"]))
    rows = rows[rows["epsilon"].isin(epsilons)]
    width = 4.0 * len(epsilons) + 0.6 if len(epsilons) > 1 else 6.2
    handles = _legend(rows, learners)
    legend_columns = 2 * len(epsilons)
    top = canvas.legend_height(len(handles), legend_columns)
    figure, axes = new_figure(
        2,
        len(epsilons),
        width=width,
        height=5.2 + top,
        top=0.3 + top,
        gap=(0.25, 0.2),
        sharey="row",
        sharex="col",
    )
    for column, epsilon in enumerate(epsilons):
        members = rows[rows["epsilon"] == epsilon]
        loss_axes, failure_axes = axes[0][column], axes[1][column]
        for (learner, _), curve in members.groupby(["learner", "tie_breaking"], sort=False):
            style = _style(learners.index(str(learner)), curve)
            if curve["samples_median"].notna().any():
                _draw_used(loss_axes, curve, "value_suboptimality", style)
                _draw_used(failure_axes, curve, "failure_probability", style)
                continue
            _draw_curve(loss_axes, curve, "value_suboptimality", style)
            loss_axes.plot(
                curve["samples"], curve["value_suboptimality_median"], ":", color=style["color"], linewidth=1
            )
            _draw_curve(failure_axes, curve, "failure_probability", style)
        _mark(loss_axes, failure_axes, members[members["samples_median"].isna()])
        replicates = sorted({f"{n:.0f}" for n in members["replicates"]})
        loss_axes.set_title(f"eps = {epsilon:g} · {' or '.join(replicates)} replicates")
        failure_axes.set_xlabel("samples per replicate")
        places = members.filter(["samples", "samples_median", "samples_q90"])
        last = places.max().max()
        near = members.loc[members["theory_samples"] <= FAR * last, "theory_samples"]
        canvas.log_axis(failure_axes, "x", places.min().min(), max([last, *near]))
    axes[0][0].set_ylabel("value suboptimality")
    axes[1][0].set_ylabel("failure probability")
    losses = rows[["value_suboptimality", "value_suboptimality_high", "guarantee"]].to_numpy()
    positive = losses[losses > 0]
    smallest = 10.0 ** math.floor(math.log10(max(positive.min(), 1e-6))) if len(positive) else 1e-3
    canvas.zero_friendly_log(axes[0][0], smallest, max(float(losses.max()), 10 * smallest))
    canvas.zero_friendly_log(axes[1][0], 10.0 ** math.floor(-math.log10(rows["replicates"].max())), 1.0)
    canvas.top_legend(figure, handles, legend_columns)
    reading = [_READING if position == 0 else "To be read as the first one."]
    reading += [_STOPPED] if rows["samples_median"].notna().any() else []
    caption = " ".join([*reading, left_out])
    return Drawing(f"curves_{position + 1:02d}", f"Learning curves: {instance}", caption.strip(), figure)


def _style(learner: int, curve: pd.DataFrame) -> dict[str, Any]:
    """Colours are those of the cell everywhere; markers and lines are counted within the figure."""
    row = curve.iloc[0]
    return {
        "color": cell_colour({str(name): row[name] for name in curve.columns}) or canvas.INK,
        "linestyle": canvas.LINE_STYLES[learner % len(canvas.LINE_STYLES)],
        "marker": canvas.MARKERS[learner % len(canvas.MARKERS)],
    }


def _draw_curve(axes: Axes, curve: pd.DataFrame, metric: str, style: Mapping[str, Any]) -> None:
    curve = curve.sort_values("samples")
    axes.fill_between(
        curve["samples"],
        curve[f"{metric}_low"],
        curve[f"{metric}_high"],
        color=style["color"],
        alpha=0.14,
        linewidth=0,
    )
    axes.plot(curve["samples"], curve[metric], markeredgewidth=0, **style)


def _draw_used(axes: Axes, cell: pd.DataFrame, metric: str, style: Mapping[str, Any]) -> None:
    """The distribution of samples used, as a bar at the cell's value of the metric."""
    row, colour = cell.iloc[0], style["color"]
    median, last, height = row["samples_median"], row["samples_q90"], row[metric]
    axes.plot([median] * 2, [row[f"{metric}_low"], row[f"{metric}_high"]], color=colour, linewidth=1)
    axes.plot([median, last], [height] * 2, color=colour, **_BAR)
    axes.plot(median, height, marker=style["marker"], color=colour, markeredgewidth=0)


def _mark(loss_axes: Axes, failure_axes: Axes, rows: pd.DataFrame) -> None:
    """Guarantee, delta, the theorem's budget and the lower bound."""
    for tie, guarantee in rows[["tie_breaking", "guarantee"]].drop_duplicates().itertuples(index=False):
        colour = colours.TIE_COLOURS[tie]
        loss_axes.axhline(guarantee, color=colour, linewidth=1, linestyle=canvas.DASHES)
    for delta in rows["delta"].unique():
        failure_axes.axhline(float(delta), color=canvas.INK, linewidth=1, linestyle=canvas.DASHES)
    first, last = rows["samples"].min(), rows["samples"].max()
    row = rows.iloc[0].to_dict()
    bound = worst_case(row)
    for axes in (loss_axes, failure_axes):
        for theory in rows["theory_samples"].unique():
            if theory <= FAR * last:
                axes.axvline(float(theory), color=canvas.INK, linewidth=1)
        if (far := rows["theory_samples"].max()) > FAR * last:
            place: dict[str, Any] = {"transform": axes.transAxes, "ha": "right", "va": "top", "fontsize": 8}
            axes.text(0.99, 0.98, f"theorem {count(far)} →", **place)
        if first / 4 <= bound <= last * 4:
            axes.axvline(bound, **_BOUND)


def _legend(rows: pd.DataFrame, learners: list[str]) -> list[Line2D]:
    handles = []
    for (learner, tie), curve in rows.groupby(["learner", "tie_breaking"], sort=False):
        style, label = _style(learners.index(str(learner)), curve), f"{learner}, {tie}"
        if curve["samples_median"].notna().any():
            style = {**style, "linestyle": "-", **_BAR}
        handles.append(canvas.entry(label, **style))
    handles.append(canvas.entry("gap + eps; delta", color=canvas.INK, linewidth=1, linestyle=canvas.DASHES))
    handles.append(canvas.entry("theorem's budget", color=canvas.INK, linewidth=1))
    if rows["samples_median"].notna().any():
        handles.append(canvas.entry(USED, color=canvas.INK, **_BAR))
    first, last = rows["samples"].min(), rows["samples"].max()
    bounds = [worst_case(row) for row in rows.drop_duplicates("epsilon").to_dict("records")]
    if any(first / 4 <= bound <= last * 4 for bound in bounds):
        handles.append(canvas.entry("lower bound", **_BOUND))
    return handles
