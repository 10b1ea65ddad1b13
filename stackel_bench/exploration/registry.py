"""Explorers by name."""

from __future__ import annotations

import dataclasses
from typing import Any

from stackel_bench.checks import choice
from stackel_bench.errors import InputError
from stackel_bench.exploration.explorer import Explorer
from stackel_bench.exploration.generative import Generative
from stackel_bench.exploration.reward_free_explore import RewardFreeExplore
from stackel_bench.exploration.rf_express import RFExpress
from stackel_bench.exploration.rf_ucrl import RFUCRL
from stackel_bench.exploration.ucbvi import UCBVI
from stackel_bench.exploration.uniform import Uniform

EXPLORERS: dict[str, type] = {
    "reward_free_explore": RewardFreeExplore,
    "rf_ucrl": RFUCRL,
    "rf_express": RFExpress,
    "ucbvi": UCBVI,
    "uniform": Uniform,
    "generative": Generative,
}


def make_explorer(name: str, **options: Any) -> Explorer:
    """The explorer of this name; options are its constructor's keywords."""
    kind = EXPLORERS[choice("explorer", name, sorted(EXPLORERS))]
    allowed = sorted(field.name for field in dataclasses.fields(kind))
    for option in options:
        if option not in allowed:
            raise InputError(f"option of explorer {name}", option, "one of " + ", ".join(allowed))
    explorer: Explorer = kind(**options)
    return explorer
