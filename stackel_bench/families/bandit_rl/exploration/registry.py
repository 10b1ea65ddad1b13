"""Explorers by name."""

from collections.abc import Mapping
from typing import Any

from stackel_bench.families.bandit_rl.exploration.explorer import Explorer
from stackel_bench.families.bandit_rl.exploration.reward_free_explore import RewardFreeExplore
from stackel_bench.families.bandit_rl.exploration.rules import RFUCRL, UCBVI, Generative, RFExpress, Uniform
from stackel_bench.families.from_outside import EXPLORER

EXPLORERS: Mapping[str, type[Any]] = {
    explorer.name: explorer for explorer in (RewardFreeExplore, RFUCRL, RFExpress, UCBVI, Uniform, Generative)
}


def make_explorer(name: Any, /, **options: Any) -> Explorer:
    """The explorer of this name, options being its fields; or the one that it is itself."""
    explorer: Explorer = EXPLORER.make(name, EXPLORERS, options, "")
    return explorer
