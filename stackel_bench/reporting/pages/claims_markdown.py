"""The table of claims as Markdown, from the rows of claims.json alone.

`python -m stackel_bench.reporting.pages.claims_markdown claims.json FILE` writes the page of the docs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

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

HEADLINES = (
    ("lower-bound-exact-stackelberg", "failure"),
    ("nested-bandit", "exponent-epsilon"),
    ("nested-bandit", "slack-of-the-constant"),
    ("two-level-rl", "guarantee"),
    ("simultaneous-optimistic", "as-printed"),
    ("erratum-09-optimistic-gap", "margin-repairs-it"),
    ("beyond-bandit-rl", "certified-explorer-samples"),
    ("beyond-linear", "design-allocation-samples"),
)


def headline_table(rows: Sequence[Row]) -> str:
    """The rows that the README shows."""
    by_name = {(row["claim"], row["measurement"]): row for row in rows}
    table = ["| claim | asked | prediction | measured | verdict |", "|---|---|---|---|---|"]
    for row in (by_name[name] for name in HEADLINES):
        cells = (f"`{row['claim']}`", row["asks"], row["prediction"], interval(row), row["verdict"])
        table.append("| " + " | ".join(_escaped(cell) for cell in cells) + " |")
    return "\n".join(table)


def claims_markdown(rows: Sequence[Row]) -> str:
    """Counts, how to read it, then one table per kind of claim with a row per measurement."""
    parts = ["# The paper's claims, measured", _introduction(rows)]
    for title, kinds in SECTIONS.items():
        members = [row for row in rows if row["kind"] in kinds]
        if not members:
            continue
        parts.append(f"## {title}")
        if title == "Beyond the paper" and savings(rows):
            parts.append(_savings(rows))
        parts += [_claim(name, own) for name, own in by_claim(members).items()]
    return "\n\n".join(parts) + "\n"


def _introduction(rows: Sequence[Row]) -> str:
    tally = ", ".join(f"{count} {verdict}" for verdict, count in counts(rows).items())
    surprises = unexpected(rows)
    names = ", ".join(f"{row['claim']} ({row['measurement']})" for row in surprises)
    agreement = f"Not as expected: {names}." if surprises else "All verdicts are as expected."
    profile = rows[0]["profile"] if rows else ""
    return (
        f"Profile `{profile}`, {len(rows)} measurements of {len(by_claim(rows))} claims: {tally}. "
        f"{agreement}\n\n"
        "Each row has what the claim predicts of a number, the number measured, its interval, and a verdict: "
        "*confirmed* if the whole interval agrees with the prediction, *refuted* if none of it does, else "
        "*inconclusive*. Errata that quote what is printed are expected to be refuted. Intervals of sampled "
        "numbers are so wide that the probability of any wrong verdict in the whole table is at most "
        f"{false_alarm_total(rows):.2g}; exact numbers are computed on the true games. "
        "Made by `stackel-bench reproduce`; this page is generated from its `claims.json`."
    )


def _claim(name: str, rows: Sequence[Row]) -> str:
    titles = ["measured", "prediction", "result", "verdict", "how"]
    linked = any(row.get("runs") for row in rows)
    if linked:
        titles.append("runs")
    table = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    for row in rows:
        verdict = row["verdict"] + expectation(row)
        cells = [row["asks"], row["prediction"], interval(row), verdict, row["note"]]
        if linked:
            cells.append(_runs(row))
        table.append("| " + " | ".join(_escaped(cell) for cell in cells) + " |")
    return f"### {name}\n\n{rows[0]['statement']}\n\n*{rows[0]['source']}*\n\n" + "\n".join(table)


def _runs(row: Row) -> str:
    if not row["cells"]:
        return "exact"
    links, more = run_links(row)
    shown = [f"[{short}]({link})" if link else short for short, link in links]
    return " ".join(shown) + (f" and {more} more" if more else "")


def _savings(rows: Sequence[Row]) -> str:
    found = savings(rows)
    columns = list(found[0])
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_escaped(row[column]) for column in columns) + " |" for row in found]
    return f"{SAVINGS}\n\n" + "\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_text(claims_markdown(json.loads(source.read_text("utf-8"))), "utf-8")
