"""Exploration of sequential games: which leader actions were hard, and how well it covered the game."""

import numpy as np
import pandas as pd

from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.figures.canvas import Axes, Drawing
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.results import colours

MOST_PANELS = 12
MOST_ACTIONS = 40
_MOST_LABELS = 10  # below a panel
_PHASE = "episodes_"


def draw_leader_actions(results: SweepResults) -> list[Drawing]:
    """One column of panels per exploration at its largest budget; none where no episodes were played."""
    tables, known = _tables(results)
    if not tables:
        return []
    shown = [(title, _drawn(table)) for title, table in tables]
    phases = list(dict.fromkeys(phase for _, table in shown for phase in _phases(table)))
    columns = min(3, len(shown))
    blocks = -(-len(shown) // columns)
    figure, axes = canvas.new_figure(
        3 * blocks,
        columns,
        width=3.1 * columns + 0.9,
        height=3.6 * blocks + 0.9,
        top=0.9,
        bottom=0.5,
        gap=(0.85, 0.3),
        left=0.85,
    )
    for position, (title, table) in enumerate(shown):
        first, column = 3 * (position // columns), position % columns
        upper, middle, lower = (axes[first + row][column] for row in range(3))
        upper.set_title(title, loc="left", fontsize=8)
        _draw_hardness(upper, table)
        _draw_episodes(middle, table, phases)
        _draw_chosen(lower, table)
    for position in range(len(shown), blocks * columns):
        for row in range(3):
            axes[3 * (position // columns) + row][position % columns].set_visible(False)
    handles = [canvas.dot("error bound (certificate)", canvas.INK)]
    handles += [canvas.dot("true error of the estimate", canvas.MUTED, "x")]
    for colour, phase in zip(colours.SERIES[2:], phases, strict=False):
        handles.append(canvas.entry(f"episodes: {phase.removeprefix(_PHASE)}", color=colour, linewidth=6))
    for tie, colour in colours.TIE_COLOURS.items():
        if not any(tie in table for _, table in shown):
            continue
        handles.append(canvas.entry(f"chosen, {tie}", color=colour, linewidth=6))
    canvas.top_legend(figure, handles, min(3, 2 * columns))
    more = f" The first {len(shown)} of {known} are drawn." if len(shown) < known else ""
    most = max(len(table) for _, table in tables)
    if most > MOST_ACTIONS:
        more += f" {MOST_ACTIONS} of {most} leader actions are drawn: chosen ones, hard ones, then the first."
    caption = (
        "Every leader action is an exploration job of its own. Above: how well its MDP is known at the "
        "largest budget, as the job itself can bound it and as it really is; an action that stands out was "
        "hard to explore. In the middle: episodes by phase. Below: how often each action was chosen. Means "
        f"over replicates.{more}"
    )
    return [Drawing("leader_actions", "Leader actions: explored and chosen", caption, figure)]


def _tables(results: SweepResults) -> tuple[list[tuple[str, pd.DataFrame]], int]:
    """Titles of the first explorations, a row per leader action at the largest budget; how many there are."""
    if results.cells.empty:
        return [], 0
    labels = results.labelled(results.cells[["cell_id", "family", "algorithm", "tie_breaking", "epsilon"]])
    played = labels.drop_duplicates(["family", "algorithm"])
    played = played[[_phases(results.tables.read_actions(cell_id)) != [] for cell_id in played["cell_id"]]]
    rows = labels.merge(played[["family", "algorithm"]], on=["family", "algorithm"])
    shown = rows[rows["pair"].isin(rows["pair"].unique()[:MOST_PANELS])]
    tables = []
    for _, cells in shown.groupby("pair", sort=False):
        frames = [
            actions[actions["rung"] == actions["rung"].max()].assign(tie_breaking=cell.tie_breaking)
            for cell in cells.itertuples()
            if (actions := results.tables.read_actions(str(cell.cell_id))) is not None
        ]
        members = pd.concat(frames, ignore_index=True)
        numbers = _phases(members)
        numbers += [name for name in ("certificate", "uniform_error") if name in members]
        table = members.groupby("action")[numbers].mean().dropna(axis=1, how="all")
        chosen = members.pivot_table(index="action", columns="tie_breaking", values="chosen", aggfunc="mean")
        first = cells.iloc[0]
        title = f"{first['instance']}\n{first['learner']} · eps {first['epsilon']:g}"
        tables.append((title, table.join(chosen)))
    return tables, rows["pair"].nunique()


def _drawn(table: pd.DataFrame) -> pd.DataFrame:
    """At most so many leader actions, in order: the most chosen, then the hardest, then the first ones."""
    if len(table) <= MOST_ACTIONS:
        return table
    ties = table.columns.intersection(list(colours.TIE_COLOURS))
    chosen = table[ties].max(axis=1)
    ranked = [chosen[chosen > 0].nlargest(MOST_ACTIONS // 2), table[_phases(table)].sum(axis=1).nlargest(5)]
    ranked += [table["certificate"].nlargest(5)] if "certificate" in table else []
    order = dict.fromkeys(action for series in ranked for action in series.index)
    order |= dict.fromkeys(table.index)
    return table.loc[sorted(list(order)[:MOST_ACTIONS])]


def _phases(table: pd.DataFrame | None) -> list[str]:
    """The columns that count episodes."""
    return [] if table is None else [str(name) for name in table.columns if str(name).startswith(_PHASE)]


def _draw_hardness(axes: Axes, table: pd.DataFrame) -> None:
    positions, highest = np.arange(len(table)), 0.0
    for name, colour, marker in (("certificate", canvas.INK, "o"), ("uniform_error", canvas.MUTED, "x")):
        if name in table:
            axes.plot(positions, table[name], color=colour, marker=marker, linestyle="")
            highest = max(highest, float(table[name].max()))
    axes.set_ylim(0, 1.15 * highest if highest > 0 else 1)
    _label(axes, "value error", table, [])


def _draw_episodes(axes: Axes, table: pd.DataFrame, phases: list[str]) -> None:
    positions, start = np.arange(len(table)), np.zeros(len(table))
    for number, phase in enumerate(phases):
        if phase in table:
            heights = table[phase].fillna(0.0).to_numpy()
            axes.bar(positions, heights, bottom=start, color=colours.SERIES[2 + number], width=0.7)
            start = start + heights
    axes.set_yticks([0, start.max()], ["0", f"{start.max():.2g}"])
    _label(axes, "episodes", table, [])


def _draw_chosen(axes: Axes, table: pd.DataFrame) -> None:
    positions = np.arange(len(table))
    ties = [tie for tie in colours.TIE_COLOURS if tie in table]
    for number, tie in enumerate(ties):
        offset = (number - (len(ties) - 1) / 2) * 0.36
        axes.bar(positions + offset, table[tie], color=colours.TIE_COLOURS[tie], width=0.34)
    axes.set_ylim(0, 1)
    axes.set_xlabel("leader action")
    _label(axes, "chosen", table, [str(action) for action in table.index])


def _label(axes: Axes, what: str, table: pd.DataFrame, actions: list[str]) -> None:
    """The same horizontal axis for the three panels of an exploration."""
    axes.set_ylabel(what, labelpad=2)
    every = -(-len(table) // _MOST_LABELS)
    positions = np.arange(0, len(table), every)
    axes.set_xticks(positions, actions[::every] or [""] * len(positions))
    axes.set_xlim(-0.6, len(table) - 0.4)


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
