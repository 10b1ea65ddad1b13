"""The table at the end of a sweep: a headline per family, a verdict per cell, cost, and what to do next."""

import shlex
from collections.abc import Collection
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from stackel_bench.reporting.answer import answer_of
from stackel_bench.reporting.console.rows import VERDICT_COLOURS, rows_table
from stackel_bench.reporting.console.strip import strip_lines
from stackel_bench.reporting.headline import headline
from stackel_bench.reporting.labels import in_words
from stackel_bench.reporting.played import WHY, played_table
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.tables import learner_lines, verdict_counts
from stackel_bench.results import columns, files
from stackel_bench.results.columns import NEEDED, NEEDED_INTERVAL
from stackel_bench.results.numbers import NEEDED_MARKS, count
from stackel_bench.statistics.verdicts import FAILS, OPEN, VACUOUS
from stackel_bench.text import plural

WIDTH = 100
MOST_ROWS = 60
_EXPLAINED = ("value_suboptimality", "guarantee", NEEDED, NEEDED_INTERVAL, "verdict")


def print_table(console: Console, results: SweepResults) -> None:
    """Print what was measured, in at most 100 columns."""
    if not console.is_terminal:
        console.width = WIDTH  # rich assumes 80 where nobody is looking
    width = min(WIDTH, console.width)
    known = results.judged_part
    if not results.cells.empty:
        _print_answer(console, results, width)
    if not known.cells.empty:
        cells = known.judged
        shown = cells if len(cells) <= MOST_ROWS else _troubling(cells)
        told = {"verdict"}
        for family, members in cells.groupby("family", sort=False):
            console.print()
            for line in family_lines(str(family), members):
                console.print(line, width=width, soft_wrap=False)
            rows = shown[shown["family"] == family]
            if not rows.empty:
                table, fitting = rows_table(rows, width)
                console.print(table, width=width, soft_wrap=False, crop=False)
                told.update(fitting)
        if len(shown) < len(cells):
            console.print(
                f"{len(shown)} of {len(cells)} cells shown, failing ones first; all: {files.RESULTS_CSV}"
            )
        console.print(_legend(cells, told), style="dim", width=width, soft_wrap=False)
    if results.unjudged:
        _print_played(console, results, width)
    _print_trouble(console, results)
    _print_ending(console, results)


def _troubling(cells: pd.DataFrame) -> pd.DataFrame:
    """As many as there is room for of those that do not hold, failing ones first."""
    urgency = cells["verdict"].map({FAILS: 0, OPEN: 1, VACUOUS: 2}).dropna()
    return cells.loc[urgency.sort_values(kind="stable").index[:MOST_ROWS]]


def _print_played(console: Console, results: SweepResults, width: int) -> None:
    """Cells of games whose truth nobody knows."""
    rows = played_table(results)
    rows.insert(0, "game and learner", rows.pop("game") + "\n" + rows.pop(columns.heading("algorithm")))
    rows = rows.apply(lambda column: column.str.replace(" [", "\n[", regex=False))
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))  # so that most names fit beside the numbers
    for place, name in enumerate(rows.columns):
        table.add_column(str(name), overflow="fold", no_wrap=place > 0)
    for row in rows.head(MOST_ROWS).itertuples(index=False):
        table.add_row(*map(escape, row))
    console.print()
    console.print(table, width=width)
    console.print(WHY, style="dim", width=width, soft_wrap=False)


def _print_answer(console: Console, results: SweepResults, width: int) -> None:
    """The sentences that answer the question, and one picture."""
    console.print()
    for sentence in headline(results):
        console.print(Text(sentence), width=width, soft_wrap=False)
    answer = answer_of(results.judged_part)
    for line in strip_lines(answer, width) if answer is not None else []:
        console.print(line, width=width, soft_wrap=False)


def family_lines(family: str, cells: pd.DataFrame) -> list[str]:
    """What the cells of a family say in one line, and one more line per learner."""
    tally = ", ".join(
        f"[{colour}]{(cells['verdict'] == name).sum()} {name}[/]" for name, colour in VERDICT_COLOURS.items()
    )
    cells_of = f"[bold]{escape(family)}[/] · {plural(len(cells), 'cell')}"
    title = f"{cells_of}, failure probability at most delta: {tally}"
    return [title, *(f"  {escape(line)}" for line in learner_lines(cells))]


def _legend(cells: pd.DataFrame, told: Collection[str]) -> str:
    counts = verdict_counts(cells)
    adjusted = f"; {counts['stand']} of {counts['claims']} claims stand for all cells at once (Holm)"
    meanings = " ".join(_meaning(name) for name in _EXPLAINED if name in told)
    if counts["ladders"]:
        meanings = f"Everything but needs is about the largest budget. {meanings} {NEEDED_MARKS}"
    return (
        f"{meanings} {counts['clean']} replicates without a failure are the least that shows holds for "
        f"delta = {counts['delta']:g}{adjusted if counts['claims'] else ''}. "
        "A learner is judged by what it promises, or else by the paper's lines: a pessimistic cell must then "
        "also do well against a follower who errs by eps/2, and can fail at no loss."
    )


def _meaning(name: str) -> str:
    column = columns.lookup(name)
    return f"{column.heading}: {column.definition}."


def _print_trouble(console: Console, results: SweepResults) -> None:
    for entry in results.failed[:10]:
        console.print(f"[red]failed[/] {escape(in_words(entry))}: {escape(entry.error)}")
    if len(results.failed) > 10:
        console.print(f"[red]… and {len(results.failed) - 10} more failed[/] (folder {files.FAILURES}/)")
    if results.unfinished:
        console.print(f"[yellow]{results.unfinished} of {results.planned} cells are not finished[/]")


def _print_ending(console: Console, results: SweepResults) -> None:
    seconds = sum(entry.busy_seconds for entry in results.entries)
    console.print(
        f"\ncost    {count(results.samples_drawn)} samples, {seconds:.1f} s of one worker's time "
        f"({len(results.finished)} of {plural(results.planned, 'cell')} finished)"
    )
    console.print(f"results {results.folder}", markup=False)
    console.print(f"report  {results.folder / files.REPORT}", markup=False)
    output = results.folder.parent.parent
    if not (output / "mlflow.db").exists():  # tracking was off, or a server has the runs
        return
    here = [] if output == Path.cwd() else [f"output={output}"]
    command = shlex.join(["stackel-bench", "ui", *here])
    console.print(f"next    {command}   (the runs in MLflow's pages)", markup=False)
