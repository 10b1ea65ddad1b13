"""A bandit game by name and parameters, for games of other families that are made of one."""

from collections.abc import Mapping
from typing import Any

from stackel_bench.errors import InputError, UnknownNameError
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.games import game_names, load_game


def named_bandit(bandit: str, parameters: Mapping[str, Any]) -> BanditGame:
    """The bandit game of this name; parameters that are not given have their defaults."""
    names = [name for name in game_names() if name.startswith("bandit/")]
    if bandit not in names:
        raise UnknownNameError("bandit", bandit, names)
    if not isinstance(parameters, Mapping):
        raise InputError("parameters", parameters, f"parameters of {bandit} by name")
    game = load_game(bandit, **{str(key): value for key, value in parameters.items()})
    assert isinstance(game, BanditGame)
    return game
