"""What pyproject.toml says: every package of the tree, and the same version as everywhere."""

from __future__ import annotations

import sys
import tomllib

from tests.packaging.parts import ROOT, SOURCES, SUFFIXES


def test_every_package_is_listed() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    found = {
        ".".join([package, *parent.relative_to(ROOT / folder).parts])
        for package, folder in SOURCES.items()
        for path in (ROOT / folder).rglob("*")
        if path.suffix in SUFFIXES
        for parent in path.parents
        if parent.is_relative_to(ROOT / folder)
    }
    assert sorted(listed) == sorted(found)


def test_version_is_the_same_everywhere() -> None:
    import stackel_bench

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == stackel_bench.__version__
    assert f"version: {project['version']}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert sys.version_info >= tuple(map(int, project["requires-python"].removeprefix(">=").split(".")))
