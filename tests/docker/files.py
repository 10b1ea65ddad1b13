"""The deployment files, parsed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
MANIFESTS = sorted((DOCKER / "kubernetes").glob("*.yaml"))


def documents(path: Path) -> list[dict[str, Any]]:
    """All documents of a YAML file."""
    return list(yaml.safe_load_all(path.read_text("utf-8")))


def compose() -> dict[str, Any]:
    """The compose file."""
    return documents(DOCKER / "compose.yaml")[0]


def tool(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """What a command-line tool of this environment says."""
    program = Path(sys.executable).parent / name
    command = [str(program), *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
