"""Ids do not hold defaults, so a default may only change together with the version of its class."""

from __future__ import annotations

import json
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


def test_a_changed_default_needs_another_version() -> None:
    """If this fails: raise `version` of the class, then `python -m tests.sweep.test_pinned_defaults`."""
    known = json.loads(PINNED.read_text("utf-8"))
    now = {name: pinned(cls) for name, cls in components().items()}
    assert now.keys() == known.keys()
    for name, found in now.items():
        new = {key: value for key, value in found["defaults"].items() if key in known[name]["defaults"]}
        if new != known[name]["defaults"]:  # an option that is new changes no id
            assert found["version"] > known[name]["version"], f"{name}: raise its version"


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
    table = {name: pinned(cls) for name, cls in sorted(components().items())}
    PINNED.write_text(json.dumps(table, indent=1) + "\n", "utf-8")
