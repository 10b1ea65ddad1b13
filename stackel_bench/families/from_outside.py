"""Games, learners and explorers whose code is not this package's: found, checked, built."""

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from stackel_bench.errors import (
    InputError,
    MissingValueError,
    NoEffectError,
    UnknownKeyError,
    UnknownNameError,
)
from stackel_bench.games.game import Game
from stackel_bench.options import build
from stackel_bench.outside import plugins
from stackel_bench.outside.reference import Loaded, is_reference, load_function, load_reference, one_sentence

_GAME = ("family", "name", "identity", "sampler", "sizes")
Members = tuple[str, ...]  # "a or b": one of the two
LEARNER_MEMBERS = ("name", "schedule", "explore or explore_block", "decide or decide_block")
EXPLORER_MEMBERS = ("name", "nested", "proved", "seconds_of", "theory_plan", "fixed_plan", "explore")


def is_outside(kind: str, name: object) -> bool:
    """Whether this names something from a file, a module or a plug-in."""
    return isinstance(name, str) and (is_reference(name) or name in plugins.plugins(kind))


def load_outside(kind: str, name: str, field: str) -> Loaded:
    """What the name stands for."""
    return load_reference(name, field) if is_reference(name) else plugins.load_plugin(kind, name, field)


def keyword_defaults(builder: Any) -> dict[str, Any]:
    """The keywords of a builder of games with their defaults; those that must be given have none."""
    if not callable(builder):
        return {}
    parameters = inspect.signature(builder).parameters.values()
    named = (p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY))
    return {p.name: p.default for p in named if p.name != "name"}


def outside_game(name: str, found: Loaded, given: Mapping[str, Any]) -> Game:
    """The game that a builder, or an object that is one already, stands for."""
    game: Any = found.object
    if callable(game):
        known = keyword_defaults(game)
        _require_keywords(game, known, given)
        with one_sentence("game", name, "it"):
            game = game(**given)
    elif given:
        key = next(iter(given))
        raise NoEffectError(f"game.{key}", f"{name} is a game, not a function that builds one")
    missing = [member for member in _GAME if not hasattr(game, member)]
    if missing:
        allowed = f"a game, or a function that returns one; {type(game).__name__} has no {', '.join(missing)}"
        raise InputError("game", name, allowed)
    if dataclasses.is_dataclass(game) and any(f.name == "name" and f.init for f in dataclasses.fields(game)):
        game = dataclasses.replace(game, name=name)  # type: ignore[type-var]
    built: Game = game
    return built


def _require_keywords(builder: Any, known: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    parameters = inspect.signature(builder).parameters.values()
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    for key in given:
        if key not in known and not takes_any:
            raise UnknownKeyError(f"game.{key}", [f"game.{name}" for name in known])
    for key, default in known.items():
        if default is inspect.Parameter.empty and key not in given:
            raise MissingValueError(f"game.{key}")


def program_builder(
    game: type[Any], functions: Mapping[str, tuple[str, str]], **fixed: Any
) -> Callable[..., Any]:
    """A builder of this dataclass of games from a configuration, in which functions are named FILE:NAME.

    For each option that names one: the field that the function goes to, and what is allowed there.
    """
    fields = {f.name: f for f in dataclasses.fields(game) if f.init and f.name not in ("name", "identity")}
    options = {field: option for option, (field, _) in functions.items()}

    def build(**parameters: Any) -> Any:
        for option, (field, allowed) in functions.items():
            named = parameters.pop(option)
            if named is not None or fields[field].default is not None:
                parameters[field] = load_function(named, f"game.{option}", allowed)
        return game(**parameters, **fixed)

    names = [options.get(name, name) for name in fields if name not in fixed]
    keywords = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    build.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    build.__doc__ = game.__doc__
    return build


def require_family(learner: Any, name: str, family: str) -> None:
    """Raise an InputError where a learner says that it is for games of other families."""
    families = getattr(learner, "family", family)
    families = (families,) if isinstance(families, str) else tuple(families)
    if family not in families:
        sentence = f"{name} is a learner for {', '.join(families)} games; this game is of the family {family}"
        raise InputError("algorithm", name, f"one for {family} games", sentence)


def require_members(field: str, thing: Any, members: Members, kind: str, name: str = "") -> None:
    """Raise an InputError unless the class or object has one of each of these members."""
    cls = thing if isinstance(thing, type) else type(thing)
    known = {*dir(thing), *getattr(cls, "__dataclass_fields__", ())}
    missing = [member for member in members if known.isdisjoint(member.split(" or "))]
    if missing:
        allowed = f"a class of {kind}s; {cls.__name__} has no {', no '.join(missing)}"
        raise InputError(field, name or cls.__name__, allowed)


@dataclasses.dataclass(frozen=True)
class Kind:
    """What learners, or explorers, are called, which option names one, and what each of them has."""

    word: str
    plugins: str
    field: str
    options: str  # what stands before one of its options
    members: Members
    mark: str  # the member that tells an object from a name

    def make(self, thing: Any, known: Mapping[str, type[Any]], options: Mapping[str, Any], where: str) -> Any:
        """The one of this name, known or from outside, with these options; or the object itself."""
        if isinstance(thing, type):
            raise InputError(self.field, thing, f"a name, or an object: {thing.__name__}()")
        if hasattr(thing, self.mark):
            for key in options:
                raise NoEffectError(f"{self.options}{key}", f"{self.word} objects have their own options")
            require_members(self.field, thing, self.members, self.word)
            return thing
        if isinstance(thing, str) and thing in known:
            return build(known[thing], options, self.options)
        if not is_outside(self.plugins, thing):
            raise UnknownNameError(self.field, thing, sorted(known), where)
        cls = load_outside(self.plugins, thing, self.field).object
        if not isinstance(cls, type):
            raise InputError(self.field, thing, f"a class of {self.word}s; it is {type(cls).__name__}")
        require_members(self.field, cls, self.members, self.word, thing)
        with one_sentence(self.field, thing, "it"):
            return build(cls, options, self.options)


LEARNER = Kind("learner", plugins.LEARNERS, "algorithm", "algorithm.", LEARNER_MEMBERS, "schedule")
EXPLORER = Kind(
    "explorer",
    plugins.EXPLORERS,
    "algorithm.explorer",
    "algorithm.explorer_options.",
    EXPLORER_MEMBERS,
    "explore",
)
