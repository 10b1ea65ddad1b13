"""Every Python example of the docs runs and prints what the page says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from tests.docs.code_blocks import ROOT
from tests.docs.example_files import put_example_files

PAGES = sorted(page for page in (ROOT / "docs").rglob("*.md") if ">>>" in page.read_text("utf-8"))
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.REPORT_NDIFF


def test_pages_with_examples() -> None:
    names = {page.stem for page in PAGES}
    assert names >= {
        "bandit",
        "bandit_rl",
        "linear",
        "simultaneous",
        "planning",
        "python",
        "add_a_game",
        "add_a_learner",
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_example_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    text = re.sub(r"^ *```.*$", "", page.read_text("utf-8"), flags=re.MULTILINE)  # fences end no output
    examples = doctest.DocTestParser().get_doctest(text, {}, page.stem, str(page), 0)
    written: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(examples, out=written.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(written)
