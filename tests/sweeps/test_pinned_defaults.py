"""Ids do not hold defaults, so a default may only change together with the version of its class."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from stackel_bench.families.registry import all_families
from stackel_bench.learners.budget import BUDGETS
from stackel_bench.options import FIRST_VERSION, changed, default_values, option

PINNED = Path(__file__).parent / "pinned_defaults.json"


def components() -> dict[str, type]:
    found: dict[str, type] = {f"budget {name}": cls for name, cls in BUDGETS.items()}
    for family in all_families():
        found |= {f"{family.name} learner {name}": cls for name, cls in family.learners.items()}
        found |= {f"{family.name} explorer {name}": cls for name, cls in family.explorers.items()}
    return found


def pinned(cls: type) -> dict[str, Any]:
    return {"version": getattr(cls, "version", FIRST_VERSION), "defaults": default_values(cls)}


def current() -> dict[str, Any]:
    return {name: pinned(cls) for name, cls in sorted(components().items())}


def unraised(known: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Whose default changed though its version did not; an option that is new changes no id."""
    return [
        name
        for name in known.keys() & now.keys()
        if now[name]["version"] <= known[name]["version"]
        and any(now[name]["defaults"].get(k, v) != v for k, v in known[name]["defaults"].items())
    ]


def test_defaults_are_those_that_are_pinned() -> None:
    """If this fails: `python -m tests.sweeps.test_pinned_defaults`, which says where a version is due."""
    assert current() == json.loads(PINNED.read_text("utf-8"))


def test_only_a_changed_default_needs_another_version() -> None:
    known = {"a": {"version": 1, "defaults": {"rounds": 8}}}
    assert unraised(known, {"a": {"version": 1, "defaults": {"rounds": 9}}}) == ["a"]
    assert unraised(known, {"a": {"version": 2, "defaults": {"rounds": 9}}}) == []
    assert unraised(known, {"a": {"version": 1, "defaults": {"rounds": 8, "new": 1}}}) == []


def test_a_version_is_part_of_what_differs() -> None:
    @dataclass(frozen=True)
    class First:
        rounds: int = option(8, "rounds")

    @dataclass(frozen=True)
    class Second(First):
        version: ClassVar[int] = 2

    assert changed(First()) == {}
    assert changed(Second()) == {"version": 2}
    assert changed(Second(rounds=9)) == {"rounds": 9, "version": 2}


if __name__ == "__main__":
    changed_ones = unraised(json.loads(PINNED.read_text("utf-8")), current())
    if changed_ones:
        sys.exit(f"a default changed: raise `version` of {', '.join(changed_ones)}")
    PINNED.write_text(json.dumps(current(), indent=1) + "\n", "utf-8")
