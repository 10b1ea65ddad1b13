"""The table of claims as one self-contained HTML page whose rows link to the MLflow runs behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from stackel_bench.reporting.pages import page
from stackel_bench.reporting.pages.claims_summary import (
    SAVINGS,
    SECTIONS,
    Row,
    by_claim,
    counts,
    expectation,
    false_alarm_total,
    interval,
    run_links,
    savings,
    unexpected,
)

_CLASSES = {"confirmed": "holds", "refuted": "fails", "inconclusive": "open"}
_MARKS = {"confirmed": "✓", "refuted": "✗", "inconclusive": "?"}


def claims_page(rows: Sequence[Row], facts: Mapping[str, str]) -> str:
    """The whole document."""
    sections = {}
    for title, kinds in SECTIONS.items():
        members = [row for row in rows if row["kind"] in kinds]
        if members:
            parts = [_claim(name, own) for name, own in by_claim(members).items()]
            if title == "Beyond the paper" and savings(rows):
                parts[:0] = [page.paragraph(SAVINGS), page.table(pd.DataFrame(savings(rows)))]
            sections[title] = parts
    sections["What was run"] = [page.definitions(facts)]
    tally = counts(rows)
    tiles = {name: str(count) for name, count in tally.items()} | {
        "not as expected": str(len(unexpected(rows))),
        "nominal false-alarm rates, added over rows": f"{false_alarm_total(rows):.2g}",
    }
    body = [
        "<h1>The paper's claims, measured</h1>",
        page.paragraph(
            "Sample-Efficient Learning of Stackelberg Equilibria in General-Sum Games: each theorem, lemma, "
            "table and figure, and each erratum, with a prediction, a measurement and a verdict.",
            "question",
        ),
        page.contents(list(sections)),
        page.tiles(tiles),
        page.paragraph(
            "confirmed: the whole interval agrees with the prediction; refuted: none of it does; "
            "inconclusive: neither. What is printed wrongly is expected to be refuted."
        ),
        *(page.section(title, *parts) for title, parts in sections.items()),
    ]
    return page.page("The paper's claims, measured · stackel_bench", body)


def _claim(name: str, rows: Sequence[Row]) -> str:
    head = "".join(
        f'<th class="text">{title}</th>'
        for title in ("measured", "prediction", "result", "verdict", "how", "runs")
    )
    body = "".join(_row(row) for row in rows)
    return (
        f'<h3 id="{page.anchor(name)}">{page.escape(name)}</h3>'
        + page.paragraph(rows[0]["statement"])
        + page.paragraph(rows[0]["source"], "note")
        + f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _row(row: Row) -> str:
    verdict = row["verdict"]
    shown = f"<b>{_MARKS[verdict]}</b> {verdict}{page.escape(expectation(row))}"
    before = [page.escape(text) for text in (row["asks"], row["prediction"], interval(row))]
    behind = [page.escape(row["note"]), _runs(row)]
    left, right = ("".join(f'<td class="text">{cell}</td>' for cell in cells) for cells in (before, behind))
    return f'<tr>{left}<td class="{_CLASSES[verdict]}">{shown}</td>{right}</tr>'


def _runs(row: Row) -> str:
    if not row["cells"]:
        return "exact"
    links, more = run_links(row)
    shown = [
        f'<a href="{page.escape(link)}"><code>{short}</code></a>' if link else f"<code>{short}</code>"
        for short, link in links
    ]
    return " ".join(shown) + (f" and {more} more" if more else "")
