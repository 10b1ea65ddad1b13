"""Writes the table of columns into the docs page: `python -m stackel_bench.results.column_docs`."""

from __future__ import annotations

from pathlib import Path

from stackel_bench.results.columns import COLUMNS, PLACES

PAGE = Path(__file__).parents[2] / "docs" / "results.md"
_BEGIN, _END = "<!-- columns -->\n", "<!-- end of columns -->"


def with_table(page: str) -> str:
    """The page with the table between its two marks made again."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    assert after, "the page has lost its marks"
    return f"{before}{_BEGIN}\n{markdown()}\n\n{_END}{after}"


def markdown() -> str:
    """The table of all columns for the docs."""
    lines = ["| column | unit | meaning | where |", "|---|---|---|---|"]
    for column in COLUMNS:
        where = ", ".join(text for place, text in PLACES.items() if place in column.shown)
        better = f" ({column.better} is better)" if column.better else ""
        lines.append(f"| `{column.name}` | {column.unit} | {column.definition}{better} | {where} |")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
