"""What wheel and sdist are made of."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = {"stackel_bench": "stackel_bench", "stackel_bench.conf": "conf"}
SUFFIXES = (".py", ".yaml", ".jinja", ".css", ".txt")
