"""Guides, template and tests use what docs/versions.md calls public, and no test module imports another."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.code_blocks import ROOT

IMPORT = re.compile(r"^(?:>>> |\.\.\. )? *from (stackel_bench[\w.]*) import", re.MULTILINE)
ROW = re.compile(r"^\| (`stackel_bench.*) \| ", re.MULTILINE)


def public_modules() -> set[str]:
    modules = {"stackel_bench", "stackel_bench.planning"}
    for row in ROW.findall((ROOT / "docs" / "versions.md").read_text("utf-8")):
        first, *others = re.findall(r"`([\w.]+)`", row)
        package = first.rpartition(".")[0]
        modules |= {first, *(package + name if name.startswith(".") else name for name in others)}
    return modules


def test_guides_and_template_import_what_is_public() -> None:
    pages = [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "docs" / "plugin_template").rglob("*.py"),
        ROOT / "README.md",
    ]
    used = {module for page in pages for module in IMPORT.findall(page.read_text("utf-8"))}
    assert len(used) > 5
    assert used <= public_modules()


def test_no_test_module_imports_another() -> None:
    pattern = re.compile(r"^ *(?:from|import) +tests\.[\w.]*\btest_\w+", re.MULTILINE)
    found: list[Path] = [
        path for path in (ROOT / "tests").rglob("*.py") if pattern.search(path.read_text("utf-8"))
    ]
    assert not found
