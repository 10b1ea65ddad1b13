"""Options as fields: what differs from a default is found, whatever the default is, and types are kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stackel_bench.errors import InputError, UnknownKeyError
from stackel_bench.options import build, changed, help_lines, option, values_of


@dataclass(frozen=True)
class Thing:
    """Made up, with every kind of option."""

    must: int = option(help="has no default")
    rounds: int | None = option(8, "how often")
    share: float = option(0.5, "how much")
    loud: bool = option(False, "whether")
    more: dict[str, Any] = option(factory=dict, help="others")
    place: Any = option(Path("a"), "where")


def test_none_is_not_a_default_that_was_never_touched() -> None:
    """Otherwise two different computations would share an id."""
    assert changed(Thing(1)) == {"must": 1}
    assert changed(Thing(1, rounds=None)) == {"must": 1, "rounds": None}
    assert changed(Thing(1, rounds=8, share=0.5, more={}, place=Path("a"))) == {"must": 1}
    assert changed(Thing(1, more={"a": (1, 2)}, place=Path("b"))) == {
        "must": 1,
        "more": {"a": [1, 2]},
        "place": "b",
    }
    assert "rounds" not in values_of(Thing(1, rounds=None))


def test_values_get_the_type_of_their_field() -> None:
    built = build(Thing, {"must": 3.0, "share": 1, "rounds": None}, "thing.")
    assert (built.must, type(built.must), built.share, type(built.share)) == (3, int, 1.0, float)


@pytest.mark.parametrize(
    ("given", "field", "words"),
    [
        ({"must": "x"}, "thing.must", "an integer"),
        ({"must": True}, "thing.must", "an integer"),
        ({"must": 1.5}, "thing.must", "an integer"),
        ({"must": None}, "thing.must", "an integer"),
        ({"must": 1, "rounds": "x"}, "thing.rounds", "an integer or null"),
        ({"must": 1, "loud": 1}, "thing.loud", "true or false"),
        ({"must": 1, "more": {1: 2}}, "thing.more", "a group of keys"),
        ({}, "thing.must", "no default"),
    ],
)
def test_other_values_are_refused_by_name(given: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        build(Thing, given, "thing.")
    assert caught.value.field == field


def test_an_unknown_key_names_the_closest_one_first() -> None:
    with pytest.raises(UnknownKeyError, match=r"^unknown key thing\.round \(did you mean thing\.rounds\?\)"):
        build(Thing, {"must": 1, "round": 3}, "thing.")


def test_help_has_a_line_for_every_option() -> None:
    lines = help_lines(Thing, "thing.")
    assert lines[0].split() == ["thing.must=?", "has", "no", "default"]
    assert [line.split("=")[0] for line in lines] == [f"thing.{name}" for name in Thing.__dataclass_fields__]
