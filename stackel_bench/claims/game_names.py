"""Names of games that tell them apart: with their settings where two of a list have the same name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stackel_bench.results.varying import flat_items


def game_names(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The game's short name for each configuration, and what it alone sets where several share that name."""
    flat = [dict(flat_items(config)) for config in configs]
    short = [str(one["game.name"]).rpartition("/")[2] for one in flat]
    names = []
    for one, name in zip(flat, short, strict=True):
        same = [other for other, its in zip(flat, short, strict=True) if its == name]
        varying = [key for key in one if any(other.get(key) != one[key] for other in same)]
        words = [f"{key.rpartition('.')[2]}={one[key]}" for key in varying if one[key] is not None]
        names.append(" ".join([name, *words]))
    return names
