"""The table of claims as one self-contained HTML page, and as Markdown, from the rows of claims.json alone.

`python -m stackel_bench.reporting.pages.claims_page claims.json FILE` writes the Markdown page of the docs.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from stackel_bench.claims.claim import GUARANTEE, IDENTITY, claim_names, load_claim
from stackel_bench.reporting.pages.claims_summary import (
    Row,
    by_claim,
    counts,
    expectation,
    false_alarm_total,
    interval,
    savings,
    unexpected,
)
from stackel_bench.reporting.templates import fill, markdown_row

_SHOWN_RUNS = 6
_BEYOND = "Beyond the paper"
_SECTIONS = {
    "Theorems and lower bounds": ("theorem",),
    "Lemmas, remarks, tables and figures": ("lemma", "remark", "table", "figure"),
    "Errata: printed statements that are refuted": ("erratum",),
    "Corrections and remarks": ("correction",),
    _BEYOND: ("beyond",),
}
_COMPUTED = "Identities: computed on true games, not measured"
HEADLINES = (
    ("lower-bound-exact-stackelberg", "failure"),
    ("nested-bandit", "guarantee"),
    ("nested-bandit", "exponent-epsilon"),
    ("lower-bound-nested-bandit", "failure-below"),
    ("two-level-rl", "lock"),
    ("two-level-rl", "rooms"),
    ("two-level-rl", "exponent-horizon"),
    ("two-level-rl", "exponent-states"),
    ("linear-bandit", "guarantee"),
    ("erratum-01-printed-lp", "printed-fails"),
    ("beyond-bandit", "certified-needs"),
    ("beyond-bandit", "half-tolerance-needs"),
)


def claims_page(rows: Sequence[Row], facts: Mapping[str, str]) -> str:
    """The whole document; facts are what was run."""
    tiles = {name: str(count) for name, count in counts(rows).items()} | {
        "not as expected": str(len(unexpected(rows))),
        "nominal false-alarm rates, added over rows": f"{false_alarm_total(rows):.2g}",
    }
    return fill("claims.html", tiles=tiles, facts=facts, **_shown(rows))


def claims_markdown(rows: Sequence[Row]) -> str:
    """Counts, how to read it, then one table per kind of claim with a row per measurement."""
    return fill(
        "claims.md",
        profiles=" and ".join(f"`{profile}`" for profile in dict.fromkeys(row["profile"] for row in rows)),
        measurements=sum(row["role"] != IDENTITY for row in rows),
        identities=sum(row["role"] == IDENTITY for row in rows),
        guarantees=sum(row["role"] == GUARANTEE for row in rows),
        claims=len(by_claim([row for row in rows if row["role"] != IDENTITY])),
        versions=_versions(rows),
        rates=" or ".join(f"{rate:g}" for rate in sorted({row["false_alarm"] for row in rows} - {0.0})),
        tally=", ".join(f"{count} {verdict}" for verdict, count in counts(rows).items()),
        missing=_missing(rows),
        unexpected=[f"{row['claim']} ({row['measurement']})" for row in unexpected(rows)],
        false_alarm=false_alarm_total(rows),
        **_shown(rows),
    )


def headline_table(rows: Sequence[Row]) -> str:
    """The rows that the README shows, as Markdown."""
    by_name = {(row["claim"], row["measurement"]): row for row in rows}
    titles = ["claim", "asked", "prediction", "measured", "would have caught", "verdict"]
    table = [markdown_row(titles), "|---" * len(titles) + "|"]
    for row in (by_name[name] for name in HEADLINES):
        caught = "; ".join(text.partition(": fails")[0] for text in row["power"])
        verdict = row["verdict"] + expectation(row)
        cells = [f"`{row['claim']}`", row["asks"], row["prediction"], interval(row), caught, verdict]
        table.append(markdown_row(cells))
    return "\n".join(table)


def _shown(rows: Sequence[Row]) -> dict[str, Any]:
    """What both pages show: the claims of each section, and what the learners beyond the paper save."""
    sampled = [row for row in rows if row["role"] != IDENTITY]
    sections = {
        title: by_claim([_shown_row(row) for row in sampled if row["kind"] in kinds])
        for title, kinds in _SECTIONS.items()
    }
    sections[_COMPUTED] = by_claim([_shown_row(row) for row in rows if row["role"] == IDENTITY])
    return {
        "sections": {title: claims for title, claims in sections.items() if claims},
        "savings_section": _BEYOND,
        "savings": pd.DataFrame(savings(rows)),
    }


def _versions(rows: Sequence[Row]) -> list[str]:
    """What the rows were measured with."""
    facts = ("version", "commit", "seed")
    return list(dict.fromkeys(", ".join(f"{name} {row.get(name)}" for name in facts) for row in rows))


def _missing(rows: Sequence[Row]) -> list[str]:
    """Claims that these rows lack, whole or with the measurements that are missing."""
    known = {(row["claim"], row["measurement"]) for row in rows}
    found = []
    for name in claim_names():
        wanted = [measurement.name for measurement in load_claim(name).measurements]
        lacking = [one for one in wanted if (name, one) not in known]
        if lacking:
            found.append(name if lacking == wanted else f"{name} ({', '.join(lacking)})")
    return found


def _shown_row(row: Row) -> Row:
    """The row with its texts, and links to the first few of its MLflow runs."""
    base = f"{row.get('address')}/#/experiments/{row.get('experiment_id')}/runs/"
    ids = [(cell_id[:8], row.get("runs", {}).get(cell_id)) for cell_id in row["cells"][:_SHOWN_RUNS]]
    links = [{"name": name, "address": base + run_id if run_id else ""} for name, run_id in ids]
    return {
        **row,
        "result": interval(row),
        "caught": "; ".join([*row["power"], *(f"not caught: {name}" for name in row["not_caught"])]),
        "expectation": expectation(row),
        "linked": bool(row.get("runs")),
        "links": links,
        "more_links": len(row["cells"]) - len(links),
    }


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_text(claims_markdown(json.loads(source.read_text("utf-8"))), "utf-8")
