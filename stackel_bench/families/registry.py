"""Families by name, loaded when first asked for."""

from __future__ import annotations

import functools
from importlib import import_module

from stackel_bench.errors import InputError, did_you_mean
from stackel_bench.families.family import Family

FAMILIES = ("bandit", "bandit_rl", "linear", "simultaneous")


@functools.cache
def family_of(name: str) -> Family:
    """The record of the family of this name."""
    if name not in FAMILIES:
        allowed = f"one of {', '.join(FAMILIES)}{did_you_mean(str(name), FAMILIES)}"
        raise InputError("family", name, allowed)
    family: Family = import_module(f"stackel_bench.families.{name}.record").FAMILY
    return family


def all_families() -> list[Family]:
    """The records of all families, in their order."""
    return [family_of(name) for name in FAMILIES]


def all_explorers() -> dict[str, type]:
    """Explorers by name, of the families that have any."""
    return {name: cls for family in all_families() for name, cls in family.explorers.items()}
