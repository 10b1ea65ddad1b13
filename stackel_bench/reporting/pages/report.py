"""The report of a sweep: one HTML page, its figures as PNG and SVG, its tables as CSV and LaTeX."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from stackel_bench.reporting.figures.calibration import draw_calibration
from stackel_bench.reporting.figures.canvas import Drawing, render, styled
from stackel_bench.reporting.figures.curves import draw_curves
from stackel_bench.reporting.figures.exploration import draw_exploration
from stackel_bench.reporting.figures.landscape import draw_landscape
from stackel_bench.reporting.figures.leader_actions import draw_leader_actions
from stackel_bench.reporting.figures.paired import draw_paired
from stackel_bench.reporting.figures.scaling import draw_scaling
from stackel_bench.reporting.figures.simplex import draw_simplex
from stackel_bench.reporting.numbers import NEEDED_MARKS, span
from stackel_bench.reporting.pages import facts
from stackel_bench.reporting.pages.inline_svg import inline_svg
from stackel_bench.reporting.paired import paired_table
from stackel_bench.reporting.scaling import exponent_table, scalings
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.tables import csv, headline_table, latex_table, shared_columns, verdict_counts
from stackel_bench.reporting.templates import fill
from stackel_bench.results import files
from stackel_bench.results.columns import NEEDED, NEEDED_INTERVAL, lookup
from stackel_bench.results.files import write_atomically
from stackel_bench.statistics.verdicts import judged

_SAMPLES_NEEDED = "Samples needed"
_MOST_FAILURES = 50


def write_report(results: SweepResults) -> list[Path]:
    """report.html, figures/ and tables/ in the sweep's folder; the files written."""
    made: dict[str, bytes] = {}
    measured: dict[str, Any] = {"families": [], "figures": {}}
    if not results.cells.empty:
        cells = judged(results.labelled(results.cells))
        made[f"{files.TABLES}/rungs.csv"] = csv(results.rungs)
        measured = {
            "families": _families(results.study, cells, made),
            **_figures(results, made),
            "counts": verdict_counts(cells),
            "explained": [lookup(name) for name in (NEEDED, NEEDED_INTERVAL)],
            "marks": NEEDED_MARKS,
        }
    shown = [*(family["title"] for family in measured["families"]), *measured["figures"]]
    failed = [{"cell": entry.label, "id": entry.cell_id, "error": entry.error} for entry in results.failed]
    page = fill(
        "report.html",
        results=results,
        titles=[*shown, *(["Statistics"] if shown else []), "What was run"],
        tiles=facts.cost(results),
        facts=facts.provenance(results),
        configuration=facts.configuration(results),
        failed=pd.DataFrame(failed),
        most_failures=_MOST_FAILURES,
        failures_folder=files.FAILURES,
        **measured,
    )
    made[files.REPORT] = page.encode()
    for name, content in made.items():
        write_atomically(results.folder / name, content)
    for stale in (*results.folder.glob(f"{files.FIGURES}/*.*"), *results.folder.glob(f"{files.TABLES}/*.*")):
        if f"{stale.parent.name}/{stale.name}" not in made:
            stale.unlink()
    return [results.folder / name for name in sorted(made, key=lambda name: (name != files.REPORT, name))]


def _families(study: str, cells: pd.DataFrame, made: dict[str, bytes]) -> list[dict[str, Any]]:
    """What the page shows of each family; its whole table goes to the files."""
    families = []
    for family, members in cells.groupby("family", sort=False):
        table = headline_table(members)
        caption = f"{study}: {family} games, {span(members['replicates'])} replicates per cell."
        _add_table(made, f"headline_{family}", table, caption)
        short, note = shared_columns(table)
        learners = facts.learner_summaries(members)
        title = f"Results: {family} games"
        families.append({"title": title, "learners": learners, "note": note, "table": short})
    return families


def _figures(results: SweepResults, made: dict[str, bytes]) -> dict[str, Any]:
    """The figures that apply, by section, and the tables that two of them come with."""
    paired, pairs = paired_table(results)
    scaling, groups = scalings(results)
    exponents = exponent_table(scaling)
    if pairs:
        made[f"{files.TABLES}/paired.csv"] = csv(paired)
    if scaling:
        _add_table(made, "exponents", exponents, f"{results.study}: exponents of the samples needed.")
    with styled():
        drawings = {
            "Learning curves": draw_curves(results),
            "Pessimistic against optimistic": draw_paired(paired, pairs),
            _SAMPLES_NEEDED: draw_scaling(scaling),
            "Exploration": [*draw_leader_actions(results), *draw_exploration(results)],
            "Commitments over the simplex": draw_simplex(results),
            "Calibration": draw_calibration(results),
            "Gap landscape": draw_landscape(results),
        }
        figures = {
            title: [_figure(drawing, made) for drawing in members]
            for title, members in drawings.items()
            if members
        }
    return {
        "figures": figures,
        "exponents": {"title": _SAMPLES_NEEDED, "table": exponents, "groups": groups},
    }


def _figure(drawing: Drawing, made: dict[str, bytes]) -> dict[str, str]:
    rendered = render(drawing)
    made |= {f"{files.FIGURES}/{drawing.name}.{kind}": data for kind, data in rendered.items()}
    svg = inline_svg(rendered["svg"], drawing.title)
    return {"title": drawing.title, "caption": drawing.caption, "svg": svg}


def _add_table(made: dict[str, bytes], name: str, table: pd.DataFrame, caption: str) -> None:
    made[f"{files.TABLES}/{name}.csv"] = csv(table)
    made[f"{files.TABLES}/{name}.tex"] = latex_table(table, caption, name).encode()
