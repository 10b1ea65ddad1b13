"""The table at the end of a sweep: a headline per family, a verdict per cell, cost, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from stackel_bench.reporting.numbers import count, enough, small
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.tables import headline_table, verdict_counts
from stackel_bench.results import columns, files
from stackel_bench.results.columns import NEEDED
from stackel_bench.statistics.verdicts import FAILS, HOLDS, OPEN, VACUOUS, judged

WIDTH = 100
MOST_ROWS = 60
_WIDTHS = {
    "tie_breaking": 12,
    "epsilon": 5,
    "samples": 7,
    "failures": 7,
    "failure_probability_interval": 14,
    "value_suboptimality": 5,
    "guarantee": 7,
    NEEDED: 8,
    "verdict": 7,
}
_WORDS = ("tie_breaking", "verdict")
_DROPPED_WHEN_NARROW = ("failure_probability_interval", "guarantee")
_COLOURS = {HOLDS: "green", FAILS: "red", OPEN: "yellow", VACUOUS: "magenta"}


def print_table(console: Console, results: SweepResults) -> None:
    """Print what was measured, in at most 100 columns."""
    if not console.is_terminal:
        console.width = WIDTH  # rich assumes 80 where nobody is looking
    width = min(WIDTH, console.width)
    if not results.cells.empty:
        cells = judged(results.labelled(results.cells))
        shown = cells if len(cells) <= MOST_ROWS else cells[cells["verdict"] != HOLDS].head(MOST_ROWS)
        for family, members in cells.groupby("family", sort=False):
            console.print()
            for line in headline(str(family), members):
                console.print(line, width=width, soft_wrap=False)
            rows = shown[shown["family"] == family]
            if not rows.empty:
                console.print(_table(rows, width), width=width, soft_wrap=False, crop=False)
        if len(shown) < len(cells):
            console.print(
                f"{len(shown)} of {len(cells)} cells shown, those that do not hold; all: {files.RESULTS_CSV}"
            )
        console.print(_legend(cells), style="dim", width=width, soft_wrap=False)
    _print_trouble(console, results)
    _print_ending(console, results)


def headline(family: str, cells: pd.DataFrame) -> list[str]:
    """What the cells of a family say in one line, and one more line per learner."""
    tally = ", ".join(
        f"[{colour}]{(cells['verdict'] == name).sum()} {name}[/]" for name, colour in _COLOURS.items()
    )
    lines = [f"[bold]{escape(family)}[/] · {len(cells)} cells, failure probability at most delta: {tally}"]
    for learner, rows in cells.groupby("learner", sort=False):
        tested = rows[rows["verdict"] != VACUOUS]
        holds = (tested["verdict"] == HOLDS).sum()
        text = f"  {escape(str(learner))}: holds in {holds} of {len(tested)} cells that could fail"
        reached, share = enough(tested)
        if reached:
            text += f"; enough in {reached}: {share} of the theorem's samples (median)"
        lines.append(text)
    return lines


def _table(rows: pd.DataFrame, width: int) -> Group:
    """The rows under one heading, a line per game between them; fixed widths, so that all of it aligns."""
    fitting = [name for name in _WIDTHS if width >= WIDTH or name not in _DROPPED_WHEN_NARROW]
    learner_width = width - 1 - sum(_WIDTHS[name] + 1 for name in fitting)

    def empty_table() -> Table:
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0))
        table.add_column(width=learner_width, no_wrap=True, overflow="ellipsis")
        for name in fitting:
            justify: Literal["left", "right"] = "left" if name in _WORDS else "right"
            table.add_column(width=_WIDTHS[name], justify=justify, no_wrap=True)
        return table

    heading = empty_table()
    heading.add_row("game, learner", *map(columns.heading, fitting), style="bold")
    parts: list[RenderableType] = [heading, Rule(style="dim")]
    for instance, members in rows.groupby("instance", sort=False):
        parts.append(Text(str(instance), style="bold", no_wrap=True, overflow="ellipsis"))
        table = empty_table()
        report_rows = headline_table(members).to_dict("records")
        for row, shown in zip(members.to_dict("records"), report_rows, strict=True):
            coloured = _coloured(row)
            texts = [coloured.get(name, str(shown[columns.heading(name)])) for name in fitting]
            table.add_row(f"  {escape(row['learner'])}", *texts)
        parts.append(table)
    return Group(*parts, Rule(style="dim"))


def _coloured(row: Mapping[Hashable, Any]) -> dict[str, str]:
    """Texts that differ from those of the report, by column."""
    loss, verdict = small(row["value_suboptimality"]), row["verdict"]
    too_much = row["value_suboptimality"] > row["guarantee"]
    return {
        "failures": f"{row['failures']}/{row['replicates']:.0f}",
        "value_suboptimality": f"[red]{loss}[/]" if too_much else loss,
        "verdict": f"[{_COLOURS[verdict]}]{verdict}[/]",
    }


def _legend(cells: pd.DataFrame) -> str:
    counts = verdict_counts(cells)
    adjusted = f"; {counts['stand']} of {counts['claims']} claims stand for all cells at once (Holm)"
    meanings = " ".join(_meaning(name) for name in ("value_suboptimality", "guarantee", NEEDED, "verdict"))
    return (
        f"All but needs at the largest budget. {meanings} {counts['clean']} clean replicates are the least "
        f"for delta = {counts['delta']:g}{adjusted if counts['claims'] else ''}. "
        "A learner is judged by what it promises, or else by the paper's lines: a pessimistic cell must then "
        "also do well against a follower who errs by eps/2, and can fail at no loss."
    )


def _meaning(name: str) -> str:
    column = columns.lookup(name)
    return f"{column.heading}: {column.definition}."


def _print_trouble(console: Console, results: SweepResults) -> None:
    for entry in results.failed[:10]:
        console.print(f"[red]failed[/] {escape(entry.label)}: {escape(entry.error)}")
    if len(results.failed) > 10:
        console.print(f"[red]… and {len(results.failed) - 10} more failed[/] (folder {files.FAILURES}/)")
    if results.unfinished:
        console.print(f"[yellow]{results.unfinished} of {results.planned} cells are not finished[/]")


def _print_ending(console: Console, results: SweepResults) -> None:
    seconds = sum(entry.busy_seconds for entry in results.entries)
    console.print(
        f"\ncost    {count(results.samples_drawn)} samples, {seconds:.1f} s of one worker's time "
        f"({len(results.finished)} of {results.planned} cells finished)"
    )
    console.print(f"results {results.folder}", markup=False)
    console.print(f"report  {results.folder / files.REPORT}", markup=False)
    output = results.folder.parent.parent
    if not (output / "mlflow.db").exists():  # tracking was off, or a server has the runs
        return
    here = [] if output == Path.cwd() else [f"output={output}"]
    command = shlex.join(["stackel-bench", "ui", *here])
    console.print(f"next    {command}   (the runs in MLflow's pages)", markup=False)
