"""Learning Stackelberg equilibria in general-sum games from noisy samples: games, learners, exact oracles."""

from typing import Any

from stackel_bench.api import certificate, evaluate, gap, leader_values, learn, stackelberg_value
from stackel_bench.errors import InputError
from stackel_bench.games.black_box import BlackBoxGame
from stackel_bench.games.catalog import game_names, load_game
from stackel_bench.models import FollowerMDP, PayoffTable, TieBreaking

__version__ = "0.1.0"

__all__ = [
    "BlackBoxGame",
    "FollowerMDP",
    "InputError",
    "PayoffTable",
    "TieBreaking",
    "certificate",
    "evaluate",
    "game_names",
    "gap",
    "leader_values",
    "learn",
    "load_game",
    "load_results",
    "stackelberg_value",
]


def __getattr__(name: str) -> Any:
    if name == "load_results":  # pandas and pyarrow are loaded only by those who read results
        from stackel_bench.reporting.loading import load_results

        return load_results
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
