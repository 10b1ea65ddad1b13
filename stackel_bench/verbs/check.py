"""`stackel-bench check`: whether a game, a learner or an explorer of your own keeps its contract."""

from __future__ import annotations

from typing import Any

from stackel_bench.errors import InputError, UnknownKeyError
from stackel_bench.families.registry import family_of
from stackel_bench.outside.reference import load_reference
from stackel_bench.testing import Report, check_explorer, check_game, check_learner

_EXPLORER = ("theory_plan", "fixed_plan")
_LEARNER = ("schedule", "decide", "decide_block", "explore_block")
_GAME = ("sampler", "sizes")


def main(words: list[str]) -> int:
    """Print one line per check and a verdict; 1 if a check failed."""
    given = dict(word.partition("=")[::2] for word in words if "=" in word)
    names = [word for word in words if "=" not in word]
    for key in given:
        if key != "family":
            raise UnknownKeyError(key, ["family"])
    if len(names) != 1:
        raise InputError("check", " ".join(names), "one FILE:NAME, then family=NAME")
    report = _report(load_reference(names[0], "check").object, names[0], given.get("family"))
    print(report)
    return 0 if report.passed else 1


def _report(thing: Any, name: str, family: str | None) -> Report:
    """The report on whatever the name stands for; families are for learners."""
    if family is not None:
        family_of(family)
    if any(hasattr(thing, member) for member in _LEARNER) and not hasattr(thing, _EXPLORER[0]):
        return check_learner(thing, family, raises=False)
    if family is not None:
        raise InputError("family", family, f"nothing here: {name} is no learner")
    if any(hasattr(thing, member) for member in _EXPLORER):
        return check_explorer(thing, raises=False)
    if callable(thing) or any(hasattr(thing, member) for member in _GAME):
        return check_game(thing, raises=False)
    allowed = f"a learner, an explorer, a game or a function that returns one; it is {type(thing).__name__}"
    raise InputError("check", name, allowed)
