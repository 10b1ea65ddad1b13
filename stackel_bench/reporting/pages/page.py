"""A self-contained HTML page from a title and sections: no script, no network, light, dark and print."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape as escape

import pandas as pd

from stackel_bench.reporting.figures import canvas
from stackel_bench.reporting.pages.page_style import STYLE
from stackel_bench.statistics.verdicts import FAILS, HOLDS, OPEN, VACUOUS

MOST_TABLE_ROWS = 400
_MARKS = {HOLDS: "✓", FAILS: "✗", OPEN: "?", VACUOUS: "∅"}
_VARIABLES = {
    canvas.INK: "var(--ink)",
    canvas.MUTED: "var(--muted)",
    canvas.GRID: "var(--grid)",
    canvas.PAPER: "var(--paper)",
    canvas.BLUE: "var(--blue)",
    canvas.VERMILION: "var(--vermilion)",
    canvas.GREEN: "var(--green)",
    canvas.PURPLE: "var(--purple)",
    canvas.ORANGE: "var(--orange)",
    canvas.SKY: "var(--sky)",
}


def page(title: str, body: Iterable[str]) -> str:
    """The whole document."""
    content = "\n".join(body)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{content}\n</main>\n</body>\n</html>\n"
    )


def section(title: str, *parts: str) -> str:
    """A part of the page that the table of contents links to."""
    return f'<section id="{anchor(title)}">\n<h2>{escape(title)}</h2>\n' + "\n".join(parts) + "\n</section>"


def contents(titles: Sequence[str]) -> str:
    """Links to the sections."""
    links = " ".join(f'<a href="#{anchor(title)}">{escape(title)}</a>' for title in titles)
    return f"<nav>{links}</nav>"


def anchor(title: str) -> str:
    """The id of a section."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def paragraph(text: str, kind: str = "") -> str:
    """Text; kind is a CSS class."""
    return f"<p{_class(kind)}>{escape(text)}</p>"


def bullet_list(items: Iterable[str]) -> str:
    """Items, one per line."""
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def tiles(facts: Mapping[str, str]) -> str:
    """Large numbers with their names."""
    inside = "".join(
        f"<div><strong>{escape(value)}</strong><span>{escape(name)}</span></div>"
        for name, value in facts.items()
    )
    return f'<div class="tiles">{inside}</div>'


def definitions(facts: Mapping[str, str]) -> str:
    """Names and values, side by side."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items())
    return f"<dl>{rows}</dl>"


def table(frame: pd.DataFrame, group: str | None = None) -> str:
    """A table of text; equal values of the group column become one heading row."""
    shown = frame.head(MOST_TABLE_ROWS)
    columns = [str(name) for name in shown.columns if name != group]
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = []
    last = None
    for row in shown.to_dict("records"):
        if group is not None and row[group] != last:
            last = row[group]
            body.append(f'<tr class="group"><th colspan="{len(columns)}">{escape(str(last))}</th></tr>')
        body.append("<tr>" + "".join(_cell(name, str(row[name])) for name in columns) + "</tr>")
    note = ""
    if len(frame) > len(shown):
        note = paragraph(f"The first {len(shown)} of {len(frame)} rows; the files have all of them.", "note")
    inside = f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody>"
    return f'<div class="scroll"><table>{inside}</table></div>{note}'


def _cell(name: str, value: str) -> str:
    if value in _MARKS and name.startswith("verdict"):
        return f'<td class="{value}"><b>{_MARKS[value]}</b> {value}</td>'
    return f"<td>{escape(value)}</td>"


def figure(title: str, caption: str, svg: bytes) -> str:
    """An SVG inside the page, its colours taken from the page's light or dark set."""
    return (
        f"<figure><h3>{escape(title)}</h3>{inline_svg(svg, title)}"
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def inline_svg(svg: bytes, label: str) -> str:
    """The svg element of a file, without its prologue, as wide as the page allows."""
    text = svg.decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<title>.*?</title>", "", text, count=1, flags=re.DOTALL)
    for colour, variable in _VARIABLES.items():
        text = text.replace(colour, variable)

    def opening(match: re.Match[str]) -> str:
        attributes = dict(re.findall(r'([\w:]+)="([^"]*)"', match.group(0)))
        width = round(float(attributes["width"].removesuffix("pt")) * 4 / 3 * 1.2)
        return (
            f'<svg role="img" aria-label="{escape(label)}" viewBox="{attributes["viewBox"]}" '
            f'style="max-width: {width}px" xmlns="http://www.w3.org/2000/svg" '
            'xmlns:xlink="http://www.w3.org/1999/xlink">'
        )

    return re.sub(r"<svg[^>]*>", opening, text, count=1)


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
