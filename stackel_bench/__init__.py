"""Learning Stackelberg equilibria in general-sum games from noisy samples: games, learners, exact oracles."""

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
    "stackelberg_value",
]
