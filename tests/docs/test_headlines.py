"""The README's rows of measured claims are those of the reproduction that the docs hold."""

from __future__ import annotations

import json
from pathlib import Path

from stackel_bench.reporting.pages.claims_page import HEADLINES, headline_table

ROOT = Path(__file__).parents[2]


def test_the_readme_shows_the_measured_rows() -> None:
    rows = json.loads((ROOT / "docs" / "reproduction.json").read_text("utf-8"))
    table = headline_table(rows)
    assert table.count("\n") == len(HEADLINES) + 1
    assert table in (ROOT / "README.md").read_text("utf-8")
