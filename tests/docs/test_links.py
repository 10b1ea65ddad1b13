"""Links between pages lead somewhere, anchors included; `make docs` checks the rest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.docs.code_blocks import NOTEBOOKS, PAGES, ROOT, text_of

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and mkdocs make them."""
    headings = re.findall(r"^#+ (.*)$", _FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, *NOTEBOOKS], ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links(page: Path) -> None:
    for link in _LINK.findall(_FENCED.sub("", text_of(page))):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        assert target.exists(), f"{page.name} links to {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.name} links to {link}"


def test_modules_that_pages_name_exist() -> None:
    package = ROOT / "stackel_bench"
    parts = {path.name for path in package.iterdir() if path.is_dir()}
    named = {
        word
        for page in PAGES
        for word in re.findall(r"`([a-z_]+(?:/[a-z_0-9]+)+)(?:\.py)?`", page.read_text("utf-8"))
        if word.partition("/")[0] in parts
    }
    assert len(named) > 20
    assert [word for word in sorted(named) if not list(package.glob(f"{word}*"))] == []


def test_navigation_has_every_page() -> None:
    class Loader(yaml.SafeLoader):
        """mkdocs.yml names a Python function, which is of no interest here."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: None)
    navigation = yaml.load((ROOT / "mkdocs.yml").read_text("utf-8"), Loader)["nav"]

    def pages(node: object) -> set[str]:
        if isinstance(node, str):
            return {node}
        entries = node.values() if isinstance(node, dict) else node
        return set().union(*(pages(entry) for entry in entries))  # type: ignore[attr-defined]

    written = [page for page in PAGES if page.is_relative_to(ROOT / "docs")]
    written += [notebook.with_suffix(".md") for notebook in NOTEBOOKS]
    assert pages(navigation) == {page.relative_to(ROOT / "docs").as_posix() for page in written}


def test_every_family_learner_and_explorer_is_in_the_docs() -> None:
    from stackel_bench.config.groups import options
    from stackel_bench.families.bandit_rl.exploration.registry import EXPLORERS
    from stackel_bench.families.registry import FAMILIES

    text = "".join(page.read_text("utf-8") for page in PAGES)
    for name in (*options("algorithm"), *options("study"), *EXPLORERS, *FAMILIES):
        assert f"`{name}`" in text or f"={name}" in text, f"nothing is said about {name}"
