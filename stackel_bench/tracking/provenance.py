"""Which code made a result: version and commit."""

from __future__ import annotations

import functools
import subprocess
from importlib.metadata import version
from pathlib import Path


@functools.cache
def package_version() -> str:
    """The installed version."""
    return version("stackel_bench")


@functools.cache
def git_commit() -> str:
    """The commit of the source tree that is running, with a + if it has changes; empty outside a checkout."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return ""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=10).stdout.strip()

    try:
        commit = git("rev-parse", "HEAD")
        return commit + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return ""
