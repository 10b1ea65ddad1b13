"""Learning Stackelberg equilibria in general-sum games from noisy samples: games, learners, exact oracles."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stackel_bench import testing
    from stackel_bench.api import (
        certificate,
        characteristic_time,
        evaluate,
        gap,
        leader_values,
        learn,
        stackelberg_value,
    )
    from stackel_bench.errors import InputError
    from stackel_bench.families.bandit_rl.programs.game import EnvGame
    from stackel_bench.families.games import game_names, load_game
    from stackel_bench.families.tables.black_box import BlackBoxGame
    from stackel_bench.models import FollowerMDP, PayoffTable, TieBreaking
    from stackel_bench.notebook.results import Results, load_results
    from stackel_bench.notebook.sweep import sweep

__version__ = "0.1.0"

# In a clone the configuration lies beside the package; installed, it is a part of it.
if (Path(__file__).parents[1] / "conf" / "config.yaml").is_file():
    __path__.append(str(Path(__file__).parents[1]))

__all__ = [
    "BlackBoxGame",
    "EnvGame",
    "FollowerMDP",
    "InputError",
    "PayoffTable",
    "Results",
    "TieBreaking",
    "certificate",
    "characteristic_time",
    "evaluate",
    "game_names",
    "gap",
    "leader_values",
    "learn",
    "load_game",
    "load_results",
    "stackelberg_value",
    "sweep",
    "testing",
]

# Loaded when first asked for, so that the command line answers at once and reading results needs no learners.
_HOMES = {
    "InputError": "errors",
    "EnvGame": "families.bandit_rl.programs.game",
    "BlackBoxGame": "families.tables.black_box",
    **dict.fromkeys(("game_names", "load_game"), "families.games"),
    **dict.fromkeys(("FollowerMDP", "PayoffTable", "TieBreaking"), "models"),
    **dict.fromkeys(("load_results", "Results"), "notebook.results"),
    "sweep": "notebook.sweep",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        from stackel_bench.errors import did_you_mean

        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{did_you_mean(name, __all__)}")
    if name == "testing":
        return import_module(f"{__name__}.testing")
    value = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'api')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
