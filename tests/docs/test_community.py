"""Files that other tools read: citation, issue forms, pre-commit hooks."""

from __future__ import annotations

import pytest
import yaml

from tests.docker.files import ROOT, tool


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("vendor.citation-file-format", "CITATION.cff"),
        ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/bug.yml"),
        ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/feature.yml"),
        ("vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
    ],
)
def test_schema(schema: str, path: str) -> None:
    checked = tool("check-jsonschema", "--builtin-schema", schema, path)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_hooks_are_the_tools_of_make_lint() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"]
    assert repository["repo"] == "local", "nothing is fetched; the pins are those of constraints.txt"
    assert {hook["id"] for hook in repository["hooks"]} >= {"ruff", "ruff-format", "mypy", "config"}
    for hook in repository["hooks"]:
        assert hook["entry"].startswith(".venv/bin/")
        assert hook["language"] == "system"
