"""The command lines that README and docs tell people to type."""

from __future__ import annotations

import re
import runpy
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("**/*.md"))]
NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))
HOOKS = runpy.run_path(str(ROOT / "docs" / "notebook_pages.py"))
_BLOCK = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class CommandLine:
    """One line of a shell block, split into words; comments are gone and continued lines joined."""

    page: str
    words: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.page}: {shlex.join(self.words)}"


def text_of(page: Path) -> str:
    """The page's Markdown."""
    return HOOKS["as_markdown"](page) if page.suffix == ".ipynb" else page.read_text("utf-8")


def command_lines() -> Iterator[CommandLine]:
    """Every command of every block marked `sh`; `a && b` is two of them."""
    for page in [*PAGES, *NOTEBOOKS]:
        blocks = _BLOCK.findall(text_of(page))
        for block in (block for language, block in blocks if language == "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                for part in line.removeprefix("$ ").split(" && "):
                    words = shlex.split(part, comments=True)
                    if words:
                        yield CommandLine(page.relative_to(ROOT).as_posix(), tuple(words))


def commands_of(*programs: str) -> list[CommandLine]:
    """Those that start with these words, each once."""
    found = [line for line in command_lines() if line.words[: len(programs)] == programs]
    return list(dict.fromkeys(found))
