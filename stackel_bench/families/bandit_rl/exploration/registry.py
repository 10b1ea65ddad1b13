"""Explorers by name."""

from collections.abc import Mapping
from typing import Any

from stackel_bench.checks import choice
from stackel_bench.errors import InputError, NoEffectError
from stackel_bench.families.bandit_rl.exploration.explorer import Explorer
from stackel_bench.families.bandit_rl.exploration.reward_free_explore import RewardFreeExplore
from stackel_bench.families.bandit_rl.exploration.rules import RFUCRL, UCBVI, Generative, RFExpress, Uniform
from stackel_bench.families.from_outside import (
    EXPLORER_MEMBERS,
    is_outside,
    load_outside,
    outside_explorer,
    require_members,
)
from stackel_bench.options import build
from stackel_bench.outside import plugins

EXPLORERS: Mapping[str, type[Any]] = {
    explorer.name: explorer for explorer in (RewardFreeExplore, RFUCRL, RFExpress, UCBVI, Uniform, Generative)
}


def make_explorer(name: Any, /, **options: Any) -> Explorer:
    """The explorer of this name, options being its fields; or the one that it is itself."""
    explorer: Explorer
    if isinstance(name, type):
        raise InputError("algorithm.explorer", name, f"a name, or an object: {name.__name__}()")
    if hasattr(name, "explore"):
        for key in options:
            raise NoEffectError(f"algorithm.explorer_options.{key}", "an explorer object has its own options")
        require_members("algorithm.explorer", name, EXPLORER_MEMBERS, "explorer")
        explorer = name
    elif is_outside(plugins.EXPLORERS, name) and name not in EXPLORERS:
        found = load_outside(plugins.EXPLORERS, name, "algorithm.explorer")
        explorer = outside_explorer(name, found, options)
    else:
        cls = EXPLORERS[choice("algorithm.explorer", name, sorted(EXPLORERS))]
        explorer = build(cls, options, "algorithm.explorer_options.")
    return explorer
