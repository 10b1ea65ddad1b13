"""The report of a sweep: one HTML page, its figures as PNG and SVG, its tables as CSV and LaTeX."""

from pathlib import Path
from typing import Any

import pandas as pd

from stackel_bench.reporting.along.scaling import exponent_table, scalings
from stackel_bench.reporting.along.trends import trends
from stackel_bench.reporting.answer import answer_of
from stackel_bench.reporting.figures.answer import draw_answer
from stackel_bench.reporting.figures.canvas import Drawing, render, styled
from stackel_bench.reporting.figures.curves import draw_curves
from stackel_bench.reporting.figures.exploration import draw_coverage, draw_leader_actions
from stackel_bench.reporting.figures.paired import draw_paired
from stackel_bench.reporting.figures.scaling import draw_scaling
from stackel_bench.reporting.figures.true_values import draw_landscape, draw_simplex
from stackel_bench.reporting.headline import headline
from stackel_bench.reporting.labels import in_words
from stackel_bench.reporting.pages import facts
from stackel_bench.reporting.pages.inline_svg import inline_svg
from stackel_bench.reporting.played import WHY, played_table
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.tables import (
    headline_table,
    latex_table,
    learner_lines,
    shared_columns,
    verdict_counts,
)
from stackel_bench.reporting.templates import fill
from stackel_bench.reporting.versus.contests import learner_contests, tie_contests
from stackel_bench.reporting.versus.paired import paired_table
from stackel_bench.reporting.versus.rivals import differences, ranks, ratios, shown_ranks, shown_ratios
from stackel_bench.results import files
from stackel_bench.results.columns import NEEDED, NEEDED_INTERVAL, lookup
from stackel_bench.results.files import write_atomically
from stackel_bench.results.frames import csv_bytes
from stackel_bench.results.numbers import NEEDED_MARKS, span

_SAMPLES_NEEDED = "Samples needed"
_LEARNERS, _TIES = "Learner against learner", "Pessimistic against optimistic"
_EXPLORATION = "Exploration"
PLAYED_TITLE = "Games without a known truth"
_MOST_FAILURES = 50


def write_report(results: SweepResults) -> list[Path]:
    """report.html, figures/ and tables/ in the sweep's folder; the files written."""
    made: dict[str, bytes] = {}
    empty = {"answer": None, "rivals": None, "exponents": {"title": ""}, "ties": {"title": ""}}
    measured: dict[str, Any] = {"families": [], "figures": {}, **empty}
    known = results.judged_part
    if not results.cells.empty:
        made[f"{files.TABLES}/rungs.csv"] = csv_bytes(results.rungs)
    if results.unjudged:
        measured["played"] = played_table(results)
        _add_table(made, "played", measured["played"], f"{results.study}: games without a known truth.")
        if known.cells.empty:
            with styled():
                drawings = [_figure(drawing, made) for drawing in draw_leader_actions(results)]
            measured["figures"] = {_EXPLORATION: drawings} if drawings else {}
    if not known.cells.empty:
        measured |= {
            "rivals": _rivals(known, made),
            "families": _families(known.study, known.judged, made),
            **_figures(known, made),
            "counts": verdict_counts(known.judged),
            "explained": [lookup(name) for name in (NEEDED, NEEDED_INTERVAL)],
            "marks": NEEDED_MARKS,
        }
    shown = [PLAYED_TITLE] if results.unjudged else []
    shown += [_LEARNERS] if measured["rivals"] else []
    shown += [*(family["title"] for family in measured["families"]), *measured["figures"]]
    failed = [
        {"cell": in_words(entry), "id": entry.cell_id, "error": entry.error} for entry in results.failed
    ]
    page = fill(
        "report.html",
        results=results,
        sentences=headline(results),
        titles=[*shown, *(["Statistics"] if measured["families"] else []), "What was run"],
        played_title=PLAYED_TITLE,
        why_played=WHY,
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
        title = f"Results: {family} games"
        families.append({"title": title, "learners": learner_lines(members), "note": note, "table": short})
    return families


def _rivals(results: SweepResults, made: dict[str, bytes]) -> dict[str, Any] | None:
    """Tables that compare learners; the files have all rows. None where no two learners met on a ladder."""
    contests = learner_contests(results)
    if not contests:
        return None
    table = ratios(contests, "tie-breaking")
    made[f"{files.TABLES}/learner_ratios.csv"] = csv_bytes(table)
    return {
        "title": _LEARNERS,
        "ratios": shown_ratios(table),
        "ranks": shown_ranks(ranks(results)),
        "differences": differences(results, contests),
        "contests": len(contests),
    }


def _figures(results: SweepResults, made: dict[str, bytes]) -> dict[str, Any]:
    """The figures that apply, by section, and the tables that two of them come with."""
    paired, pairs = paired_table(results)
    scaling, groups = scalings(results)
    exponents = exponent_table(scaling)
    tie_ratios = ratios(tie_contests(results), "learner")
    if pairs:
        made[f"{files.TABLES}/paired.csv"] = csv_bytes(paired)
        made[f"{files.TABLES}/tie_ratios.csv"] = csv_bytes(tie_ratios)
    if scaling:
        _add_table(made, "exponents", exponents, f"{results.study}: exponents of the samples needed.")
    with styled():
        answer = [_figure(drawing, made) for drawing in draw_answer(answer_of(results), trends(results))]
        drawings = {
            _TIES: draw_paired(paired, pairs),
            "Learning curves": draw_curves(results),
            _SAMPLES_NEEDED: draw_scaling(scaling),
            _EXPLORATION: [*draw_leader_actions(results), *draw_coverage(results)],
            "Commitments over the simplex": draw_simplex(results),
            "Gap landscape": draw_landscape(results),
        }
        figures = {
            title: [_figure(drawing, made) for drawing in members]
            for title, members in drawings.items()
            if members
        }
    return {
        "answer": answer[0] if answer else None,
        "figures": figures,
        "ties": {"title": _TIES, "ratios": shown_ratios(tie_ratios, "samples, pessimistic / optimistic")},
        "exponents": {"title": _SAMPLES_NEEDED, "table": exponents, "groups": groups},
    }


def _figure(drawing: Drawing, made: dict[str, bytes]) -> dict[str, str]:
    rendered = render(drawing)
    made |= {f"{files.FIGURES}/{drawing.name}.{kind}": data for kind, data in rendered.items()}
    svg = inline_svg(rendered["svg"], drawing.title)
    return {"title": drawing.title, "caption": drawing.caption, "svg": svg}


def _add_table(made: dict[str, bytes], name: str, table: pd.DataFrame, caption: str) -> None:
    made[f"{files.TABLES}/{name}.csv"] = csv_bytes(table)
    made[f"{files.TABLES}/{name}.tex"] = latex_table(table, caption, name).encode()
