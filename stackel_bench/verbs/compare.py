"""`stackel-bench compare A B`: whether sweep B fails more often than sweep A."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from stackel_bench.errors import InputError, UnavailableError, expanded
from stackel_bench.reporting.console.table import MOST_ROWS, WIDTH
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.templates import fill
from stackel_bench.reporting.versus.comparison import BETTER, WORSE, Comparison, compare_sweeps
from stackel_bench.results import files
from stackel_bench.results.files import write_atomically
from stackel_bench.text import plural
from stackel_bench.verbs.steps.find import given_options, named_sweeps, split_names
from stackel_bench.verbs.steps.publish import tell_problems

_COLOURS = {WORSE: "red", BETTER: "green"}
_IN_FILES = ("samples", "needs B / A", "loss B - A")  # beyond the width of a terminal


def main(words: list[str]) -> int:
    """Compare, print, write compare.html and compare.json; 1 if B is worse, 0 if not."""
    names, rest = split_names(words)
    options = given_options(rest, ("output", "to"))
    if len(names) != 2:
        sentence = "compare takes two sweeps, each a folder, study or sweep id; then output=FOLDER, to=FOLDER"
        raise InputError("compare", words, "two sweeps", sentence)
    output = expanded("output", options.get("output", "."))
    target = expanded("to", options.get("to", output / files.COMPARE)).resolve()
    sweeps = {side: named_sweeps(name, output) for side, name in zip("AB", names, strict=True)}
    found = compare_sweeps(sweeps["A"], sweeps["B"])
    code = 1 if found.worse else 0
    shown = {
        "headline": _headline(found),
        "sweeps": {side: _described(name, sweeps[side]) for side, name in zip("AB", names, strict=True)},
        "notes": list(_notes(found, sweeps)),
    }
    page = fill("compare.html", table=found.table(), **shown)
    details = shown | {
        "exit_code": code,
        "matched_on": found.matching.keys,
        "differing": found.matching.differing,
        "only_a": [entry.cell_id for entry in found.matching.only_a],
        "only_b": [entry.cell_id for entry in found.matching.only_b],
        "cells": json.loads(found.rows.to_json(orient="records", double_precision=15)),  # nan becomes null
    }
    text = json.dumps(details, indent=2, allow_nan=False, default=str) + "\n"
    try:
        write_atomically(target / files.COMPARE_PAGE, page.encode())
        write_atomically(target / files.COMPARE_JSON, text.encode())
    except OSError as error:
        raise UnavailableError("to", f"write to {target}", error.strerror) from error
    _print(found, shown, sweeps, target)
    return code


def _headline(found: Comparison) -> str:
    cells, worse = len(found.rows), found.worse
    better = int((found.rows["verdict"] == BETTER).sum())
    says = f"B fails more often in {worse} of {plural(cells, 'matched cell')}"
    if not worse:
        says = f"B is not shown to fail more often in any of {plural(cells, 'matched cell')}"
    return f"{says}, less often in {better} (exact tests at 5 % for all cells together, Holm)."


def _described(name: str, sweep: SweepResults) -> str:
    parts = [sweep.study, sweep.sweep_id, f"version {sweep.version}" if sweep.version else "", name]
    return " · ".join(dict.fromkeys(filter(None, parts)))


def _notes(found: Comparison, sweeps: dict[str, SweepResults]) -> Iterator[str]:
    """What is to be known beside the table: how cells were matched, and which could not be compared."""
    matching = found.matching
    if matching.differing:
        texts = (f"{key} {a} → {b}" for key, (a, b) in matching.differing.items())
        yield f"All cells of A differ from those of B in {', '.join(texts)}."
    for side, entries in (("A", matching.only_a), ("B", matching.only_b)):
        if entries:
            labels = "; ".join(entry.label for entry in entries[:10])
            more = f"; and {len(entries) - 10} more" if len(entries) > 10 else ""
            yield f"{plural(len(entries), 'cell')} of {side} without a partner: {labels}{more}."
        sweep = sweeps[side]
        if sweep.failed:
            yield f"{plural(len(sweep.failed), 'cell')} of {side} ended with an error and cannot be compared."
        if sweep.unfinished:
            yield f"{plural(sweep.unfinished, 'cell')} of {side} not finished."


def _print(found: Comparison, shown: dict[str, Any], sweeps: dict[str, SweepResults], target: Path) -> None:
    console = Console(highlight=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = WIDTH  # rich assumes 80 where nobody is looking
    for side, sweep in sweeps.items():
        console.print(f"{side}  {shown['sweeps'][side]}", markup=False)
        tell_problems(console, sweep.tables)
    rows = found.table().drop(columns=list(_IN_FILES))
    alike = [name for name in rows.columns[1:4] if rows[name].nunique() == 1]
    if alike:
        console.print("all cells: " + ", ".join(f"{name} {rows[name][0]}" for name in alike), markup=False)
    rows = rows.drop(columns=alike)
    notable = rows[rows["verdict"].isin(_COLOURS)] if len(rows) > MOST_ROWS else rows
    table = Table("game", box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name in rows.columns[1:]:
        table.add_column(name, no_wrap=name not in ("learner", "difference"))
    for row in notable.head(MOST_ROWS).to_dict("records"):
        table.add_row(*(escape(str(value)) for value in row.values()), style=_COLOURS.get(row["verdict"], ""))
    console.print(table, soft_wrap=False)
    if len(notable) < len(rows):
        console.print(f"{min(len(notable), MOST_ROWS)} of {len(rows)} cells shown; all are in the page")
    for line in (*shown["notes"], shown["headline"], f"page    {target / files.COMPARE_PAGE}"):
        console.print(line, markup=False)
