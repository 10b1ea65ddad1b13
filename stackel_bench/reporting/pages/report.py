"""The report of a sweep: one HTML page, its figures as PNG and SVG, its tables as CSV and LaTeX."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from stackel_bench.reporting.figures.calibration import draw_calibration
from stackel_bench.reporting.figures.canvas import render, styled
from stackel_bench.reporting.figures.curves import draw_curves
from stackel_bench.reporting.figures.exploration import draw_exploration
from stackel_bench.reporting.figures.landscape import draw_landscape
from stackel_bench.reporting.figures.leader_actions import draw_leader_actions
from stackel_bench.reporting.figures.paired import draw_paired
from stackel_bench.reporting.figures.scaling import draw_scaling
from stackel_bench.reporting.figures.simplex import draw_simplex
from stackel_bench.reporting.pages import page
from stackel_bench.reporting.pages.report_text import (
    cautions,
    cost_tiles,
    family_summary,
    reading_guide,
    statistics_notes,
    what_was_run,
)
from stackel_bench.reporting.paired import paired_table
from stackel_bench.reporting.scaling import exponent_table, scalings
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.tables import csv, headline_table, latex_table, shared_columns
from stackel_bench.results import files
from stackel_bench.results.files import write_atomically
from stackel_bench.statistics.verdicts import judged


def write_report(results: SweepResults) -> list[Path]:
    """report.html, figures/ and tables/ in the sweep's folder; the files written."""
    made: dict[str, bytes] = {}
    sections: dict[str, list[str]] = {}
    if not results.cells.empty:
        cells = judged(results.labelled(results.cells))
        _add_headlines(results, cells, sections, made)
        with styled():
            _add_figures(results, sections, made)
        sections["Statistics"] = [page.bullet_list(statistics_notes(cells))]
    sections["What was run"] = what_was_run(results)
    body = [
        f"<h1>{page.escape(results.study)}</h1>",
        page.paragraph(results.question, "question"),
        page.contents(list(sections)),
        cost_tiles(results),
        *cautions(results),
        *reading_guide(),
        *(page.section(title, *parts) for title, parts in sections.items()),
    ]
    made[files.REPORT] = page.page(f"{results.study} · stackel_bench report", body).encode()
    for name, content in made.items():
        write_atomically(results.folder / name, content)
    for stale in (*results.folder.glob(f"{files.FIGURES}/*.*"), *results.folder.glob(f"{files.TABLES}/*.*")):
        if f"{stale.parent.name}/{stale.name}" not in made:
            stale.unlink()
    return [results.folder / name for name in sorted(made, key=lambda name: (name != files.REPORT, name))]


def _add_headlines(
    results: SweepResults, cells: pd.DataFrame, sections: dict[str, list[str]], made: dict[str, bytes]
) -> None:
    made[f"{files.TABLES}/rungs.csv"] = csv(results.rungs)
    for family, members in cells.groupby("family", sort=False):
        table = headline_table(members)
        short, note = shared_columns(table)
        shown = [page.paragraph(note, "note"), page.table(short, group="game")]
        sections[f"Results: {family} games"] = [*family_summary(members), *shown]
        low, high = members["replicates"].min(), members["replicates"].max()
        replicates = f"{low:.0f}" if low == high else f"{low:.0f} to {high:.0f}"
        caption = f"{results.study}: {family} games, {replicates} replicates per cell."
        _add_table(made, f"headline_{family}", table, caption)


def _add_figures(results: SweepResults, sections: dict[str, list[str]], made: dict[str, bytes]) -> None:
    """The figures that apply, each in its section, and the tables that two of them come with."""
    paired, pairs = paired_table(results)
    scaling, groups = scalings(results)
    drawings = {
        "Learning curves": draw_curves(results),
        "Pessimistic against optimistic": draw_paired(paired, pairs),
        "Samples needed": draw_scaling(scaling),
        "Exploration": [*draw_leader_actions(results), *draw_exploration(results)],
        "Commitments over the simplex": draw_simplex(results),
        "Calibration": draw_calibration(results),
        "Gap landscape": draw_landscape(results),
    }
    for title, members in drawings.items():
        for drawing in members:
            rendered = render(drawing)
            made |= {f"{files.FIGURES}/{drawing.name}.{kind}": data for kind, data in rendered.items()}
            figure = page.figure(drawing.title, drawing.caption, rendered["svg"])
            sections.setdefault(title, []).append(figure)
    if pairs:
        made[f"{files.TABLES}/paired.csv"] = csv(paired)
    if scaling:
        table = exponent_table(scaling)
        _add_table(made, "exponents", table, f"{results.study}: exponents of the samples needed.")
        note = (
            f"Exponents of {len(scaling)} of {groups} groups of cells are fitted."
            if groups > len(scaling)
            else ""
        )
        sections["Samples needed"] += [page.table(table), page.paragraph(note, "note") if note else ""]


def _add_table(made: dict[str, bytes], name: str, table: pd.DataFrame, caption: str) -> None:
    made[f"{files.TABLES}/{name}.csv"] = csv(table)
    made[f"{files.TABLES}/{name}.tex"] = latex_table(table, caption, name).encode()
