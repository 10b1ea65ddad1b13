"""Games by name: reads defaults and documentation from conf/game, checks parameters, builds the game."""

import functools
import inspect
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

from omegaconf import OmegaConf

from stackel_bench.errors import InputError, UnavailableError, UnknownKeyError, UnknownNameError
from stackel_bench.families.from_outside import is_outside, keyword_defaults, load_outside, outside_game
from stackel_bench.families.registry import FAMILIES, family_of
from stackel_bench.games.game import Game
from stackel_bench.outside.plugins import GAMES, plugins

_TOO_LARGE = ("Maximum allowed", "array is too big")  # numpy's ValueErrors beside MemoryError


def game_names() -> list[str]:
    """All names `family/instance`, in the order of families, then alphabetical."""
    folder = resources.files("stackel_bench.conf").joinpath("game")
    own = [
        f"{family}/{entry.name.removesuffix('.yaml')}"
        for family in FAMILIES
        if folder.joinpath(family).is_dir()
        for entry in sorted(folder.joinpath(family).iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".yaml")
    ]
    return [*own, *(name for name in plugins(GAMES) if name not in own)]


def default_parameters(name: str) -> Mapping[str, Any]:
    """The parameters of a game with their defaults, as its file or its builder's signature says."""
    if is_outside(GAMES, name):
        defaults = keyword_defaults(load_outside(GAMES, name, "game").object)
        return {key: value for key, value in defaults.items() if _is_plain(value)}
    return _declared_parameters(name)


@functools.cache
def _declared_parameters(name: str) -> Mapping[str, Any]:
    if name not in game_names():
        raise UnknownNameError("game", name, game_names())
    text = resources.files("stackel_bench.conf").joinpath(f"game/{name}.yaml").read_text("utf-8")
    parameters = OmegaConf.to_container(OmegaConf.create(text))
    assert isinstance(parameters, dict)
    del parameters["name"]
    return {str(key): value for key, value in parameters.items()}


def load_game(name: str, **parameters: Any) -> Game:
    """The named game; parameters that are not given have the defaults of conf/game/NAME.yaml."""
    if not isinstance(name, str):  # game.name=3 on a command line
        raise InputError("game", name, "a name `family/instance`")
    if is_outside(GAMES, name):
        game = outside_game(name, load_outside(GAMES, name, "game"), parameters)
        family_of(game.family)
        return game
    defaults = default_parameters(name)
    for key in parameters:
        if key not in defaults:
            raise UnknownKeyError(f"game.{key}", [f"game.{name}" for name in defaults])
    try:
        named: Game = builder_of(name)(**{**defaults, **parameters})
    except (MemoryError, ValueError) as error:
        if isinstance(error, ValueError) and not str(error).startswith(_TOO_LARGE):
            raise
        raise UnavailableError("game", f"build {name}", f"it does not fit into memory ({error})") from error
    object.__setattr__(named, "name", name)  # it is new and ours: `replace` would check and digest it again
    return named


def _is_plain(value: Any) -> bool:
    """Whether a configuration can hold the value."""
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)


def builder_of(name: str) -> Callable[..., Any]:
    """The function that builds the named game; its docstring has the formula."""
    family, instance = name.split("/")
    builder = family_of(family).games[instance]
    expected, declared = set(inspect.signature(builder).parameters), set(default_parameters(name))
    if expected != declared:
        raise TypeError(f"{name}: conf/game declares {sorted(declared)}, the code takes {sorted(expected)}")
    return builder
