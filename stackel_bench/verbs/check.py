"""`stackel-bench check`: whether a game, a learner or an explorer of your own keeps its contract."""

from typing import Any

from stackel_bench.config.overrides import parse
from stackel_bench.errors import InputError, NoEffectError, UnknownKeyError
from stackel_bench.families.registry import family_of
from stackel_bench.options import build
from stackel_bench.outside.reference import load_reference
from stackel_bench.testing import Report, check_explorer, check_game, check_learner

_EXPLORER = ("theory_plan", "fixed_plan")
_LEARNER = ("schedule", "decide", "decide_block", "explore_block")
_GAME = ("sampler", "sizes")
_GROUPS = ("game.", "algorithm.")


def main(words: list[str]) -> int:
    """Print one line per check and a verdict; 1 if a check failed."""
    names = [word for word in words if "=" not in word]
    if len(names) != 1:
        sentence = (
            "check takes one name: check FILE:NAME [family=NAME] [game.KEY=VALUE] [algorithm.KEY=VALUE]"
        )
        raise InputError("check", names, "one name", sentence)
    given: dict[str, Any] = {}
    for override in (parse(word) for word in words if "=" in word):
        key = override.key_or_group
        if key != "family" and not key.startswith(_GROUPS):
            raise UnknownKeyError(key, ["family", *(f"{group}KEY" for group in _GROUPS)])
        given[key] = override.value()
    report = _report(load_reference(names[0], "check").object, names[0], given)
    print(report)
    return 0 if report.passed else 1


def _report(thing: Any, name: str, given: dict[str, Any]) -> Report:
    """The report on whatever the name stands for; a family is for learners, options for what takes them."""
    family = given.pop("family", None)
    if family is not None:
        family_of(family)
    if any(hasattr(thing, member) for member in _LEARNER) and not hasattr(thing, _EXPLORER[0]):
        return check_learner(_with(thing, given, "algorithm."), family, raises=False)
    if family is not None:
        raise NoEffectError("family", f"{name} has no schedule, explore or decide, so it is not a learner")
    if any(hasattr(thing, member) for member in _EXPLORER):
        return check_explorer(_with(thing, given, "algorithm.explorer_options."), raises=False)
    if callable(thing) or any(hasattr(thing, member) for member in _GAME):
        return check_game(thing, raises=False, **_options(given, "game."))
    kinds = "a learner, an explorer, a game or a function that returns a game"
    raise InputError("check", name, kinds, f"{name} is {type(thing).__name__}; check takes {kinds}")


def _with(thing: Any, given: dict[str, Any], group: str) -> Any:
    """The class with these options; what takes none is as it was."""
    options = _options(given, group)
    return build(thing, options, group) if options and isinstance(thing, type) else thing


def _options(given: dict[str, Any], group: str) -> dict[str, Any]:
    for key in given:
        if not key.startswith(group):
            raise NoEffectError(key, f"what is checked takes {group}KEY=VALUE")
    return {key.removeprefix(group): value for key, value in given.items()}
