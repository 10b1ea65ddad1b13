"""Families by name, loaded when first asked for."""

import functools
from importlib import import_module

from stackel_bench.errors import UnknownNameError
from stackel_bench.families.family import Family
from stackel_bench.outside import plugins

FAMILIES = ("bandit", "bandit_rl", "linear", "simultaneous")


@functools.cache
def family_of(name: str) -> Family:
    """The record of the family of this name."""
    family: Family
    if name in FAMILIES:
        family = import_module(f"stackel_bench.families.{name}.record").FAMILY
        return family
    if name not in plugins.plugins(plugins.FAMILIES):
        raise UnknownNameError("family", name, family_names())
    family = plugins.load_plugin(plugins.FAMILIES, name, "family").object
    return family


def family_names() -> tuple[str, ...]:
    """The names of all families, those of plug-ins at the end."""
    return tuple(dict.fromkeys([*FAMILIES, *plugins.plugins(plugins.FAMILIES)]))


def all_families() -> list[Family]:
    """The records of all families that load, in their order."""
    own = [family_of(name) for name in FAMILIES]
    return [*own, *(found.object for found in plugins.loaded_plugins(plugins.FAMILIES).values())]


def all_explorers() -> dict[str, type]:
    """Explorers by name: of the families that have any, and of plug-ins."""
    own = {name: cls for family in all_families() for name, cls in family.explorers.items()}
    added = plugins.loaded_plugins(plugins.EXPLORERS).items()
    return {name: found.object for name, found in added} | own
