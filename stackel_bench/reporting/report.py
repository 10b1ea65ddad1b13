"""The report of a sweep: one HTML page, its figures as PNG and SVG, its tables as CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from stackel_bench.reporting import page
from stackel_bench.reporting.figures.canvas import Drawing, render, styled
from stackel_bench.reporting.figures.curves import draw_curves
from stackel_bench.reporting.labels import with_labels
from stackel_bench.reporting.report_text import (
    cautions,
    cost_tiles,
    family_summary,
    reading_guide,
    statistics_notes,
    what_was_run,
)
from stackel_bench.reporting.sweep_results import SweepResults
from stackel_bench.reporting.tables import headline_table, latex_table
from stackel_bench.reporting.verdicts import judged
from stackel_bench.tracking.journal import write_atomically

FIGURE_SECTIONS: tuple[tuple[str, tuple[Callable[[SweepResults], list[Drawing]], ...]], ...] = (
    ("Learning curves", (draw_curves,)),
)


def write_report(results: SweepResults) -> list[Path]:
    """report.html, figures/ and tables/ in the sweep's folder; the files written."""
    files: dict[str, bytes] = {}
    sections: dict[str, list[str]] = {}
    if not results.cells.empty:
        cells = judged(with_labels(results.cells, results.entries))
        files["tables/rungs.csv"] = results.rungs.to_csv(index=False, lineterminator="\n").encode()
        for family, members in cells.groupby("family", sort=False):
            table = headline_table(members)
            title = f"Results: {family} games"
            sections[title] = [*family_summary(members), page.table(table, group="game")]
            caption = (
                f"{results.study}: {family} games, {members['replicates'].max():.0f} replicates per cell."
            )
            files[f"tables/headline_{family}.csv"] = table.to_csv(index=False, lineterminator="\n").encode()
            files[f"tables/headline_{family}.tex"] = latex_table(table, caption, f"{family}").encode()
        with styled():
            for title, drawers in FIGURE_SECTIONS:
                for drawing in (drawing for draw in drawers for drawing in draw(results)):
                    rendered = render(drawing)
                    files |= {f"figures/{drawing.name}.{kind}": data for kind, data in rendered.items()}
                    figure = page.figure(drawing.title, drawing.caption, rendered["svg"])
                    sections.setdefault(title, []).append(figure)
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
    files["report.html"] = page.page(f"{results.study} · stackel_bench report", body).encode()
    for name, content in files.items():
        write_atomically(results.folder / name, content)
    return [results.folder / name for name in sorted(files, key=lambda name: (name != "report.html", name))]
