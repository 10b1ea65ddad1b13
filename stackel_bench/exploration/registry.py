"""Explorers by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from stackel_bench.checks import choice
from stackel_bench.errors import InputError
from stackel_bench.exploration.explorer import Explorer
from stackel_bench.exploration.generative import Generative
from stackel_bench.exploration.reward_free_explore import RewardFreeExplore
from stackel_bench.exploration.rf_express import RFExpress
from stackel_bench.exploration.rf_ucrl import RFUCRL
from stackel_bench.exploration.single_run import SingleRun
from stackel_bench.exploration.ucbvi import UCBVI
from stackel_bench.exploration.uniform import Uniform


def _ucbvi(bonus_scale: float = 1.0, unvisited_reward: float = 0.5) -> SingleRun:
    return SingleRun(UCBVI(bonus_scale), unvisited_reward)


EXPLORERS: dict[str, Callable[..., Explorer]] = {
    "reward_free_explore": RewardFreeExplore,
    "rf_ucrl": partial(SingleRun, RFUCRL()),
    "rf_express": partial(SingleRun, RFExpress()),
    "ucbvi": _ucbvi,
    "uniform": partial(SingleRun, Uniform()),
    "generative": partial(SingleRun, Generative()),
}


def make_explorer(name: str, **options: Any) -> Explorer:
    """The explorer of this name; options are the keywords that build it."""
    build = EXPLORERS[choice("explorer", name, sorted(EXPLORERS))]
    allowed = sorted(inspect.signature(build).parameters)
    for option in options:
        if option not in allowed:
            raise InputError(f"option of explorer {name}", option, "one of " + ", ".join(allowed))
    return build(**options)
