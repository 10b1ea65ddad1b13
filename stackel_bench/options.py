"""Options are the fields of the frozen dataclass that reads them: described, checked, built, compared."""

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from stackel_bench.errors import InputError, MissingValueError, UnknownKeyError

T = TypeVar("T")
FIRST_VERSION = 1
_WORDS: dict[Any, str] = {
    bool: "true or false",
    int: "an integer",
    float: "a number",
    str: "text",
    list: "a list",
}


@dataclass(frozen=True)
class Option:
    """One option: its name, type, default, and one line of help."""

    name: str
    type: Any
    default: Any  # dataclasses.MISSING where a value must be given
    help: str


def option(default: Any = dataclasses.MISSING, help: str = "", *, factory: Any = dataclasses.MISSING) -> Any:
    """A field of a dataclass that is an option with this default and this line of help."""
    if factory is not dataclasses.MISSING:
        return dataclasses.field(default_factory=factory, metadata={"help": help})
    return dataclasses.field(default=default, metadata={"help": help})


def options_of(cls: type) -> Mapping[str, Option]:
    """The options of a class, in the order of its fields."""
    return _options_of(cls)


@functools.cache
def _options_of(cls: Any) -> Mapping[str, Option]:
    if not dataclasses.is_dataclass(cls):  # a class of somebody's that has no options
        return types.MappingProxyType({})
    hints = typing.get_type_hints(cls)
    return types.MappingProxyType(
        {
            field.name: Option(field.name, hints[field.name], _default(field), field.metadata.get("help", ""))
            for field in dataclasses.fields(cls)
            if field.init
        }
    )


def build(cls: type[T], given: Mapping[str, Any], where: str) -> T:
    """cls(**given), once every key is one of its options and every value has the option's type.

    where is what stands before a key in messages, "budget." for example.
    """
    known = options_of(cls)
    for key in given:
        if key not in known:
            raise UnknownKeyError(f"{where}{key}", [f"{where}{name}" for name in known])
    values = {key: converted(f"{where}{key}", value, known[key].type) for key, value in given.items()}
    for name, found in known.items():
        if found.default is dataclasses.MISSING and name not in values:
            raise MissingValueError(f"{where}{name}")
    return cls(**values)


def values_of(thing: Any) -> dict[str, Any]:
    """Every option of a built thing with its value, as plain values; options that are None are left out."""
    values = {name: getattr(thing, name) for name in options_of(type(thing))}
    return {name: _plain(value) for name, value in values.items() if value is not None}


def changed(thing: Any) -> dict[str, Any]:
    """The options of a built thing that differ from their defaults; None is a value like any other.

    A class whose numbers or defaults have changed since its first version says so in an attribute `version`,
    which counts as a difference: its cells are others.
    """
    values = {name: _plain(getattr(thing, name)) for name in options_of(type(thing))}
    defaults = default_values(type(thing))
    found = {name: value for name, value in values.items() if value != defaults[name]}
    version = getattr(type(thing), "version", FIRST_VERSION)
    return found if version == FIRST_VERSION or "version" in values else found | {"version": version}


def default_values(cls: type) -> dict[str, Any]:
    """The defaults of all options of a class, as plain values."""
    return {name: _plain(found.default) for name, found in options_of(cls).items()}


def converted(field: str, value: Any, kind: Any) -> Any:
    """The value in the type that an annotation names, or an InputError; other annotations take anything."""
    allowed = typing.get_args(kind) if _is_union(kind) else (kind,)
    if value is None and (type(None) in allowed or kind is Any):
        return None
    plain = [typing.get_origin(each) or each for each in allowed if each is not type(None)]
    for each in plain:
        if isinstance(each, type) and dataclasses.is_dataclass(each):
            if isinstance(value, Mapping):
                return build(each, value, f"{field}.")
            if isinstance(value, each):
                return value
        elif each in (dict, Mapping):
            if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
                return dict(value)
        elif isinstance(value, bool):
            if each is bool or each not in _WORDS:
                return value
        elif each is float and isinstance(value, int | float):
            return float(value) if abs(value) < 2**1000 else value
        elif each is int and isinstance(value, float) and value.is_integer():
            return int(value)
        elif each not in _WORDS or isinstance(value, each):
            return value
    words = " or ".join(_WORDS.get(each, "a group of keys") for each in plain)
    raise InputError(field, value, words + (" or null" if type(None) in allowed else ""))


def help_lines(cls: type, where: str) -> list[str]:
    """One line per option: KEY=DEFAULT and what it means."""
    lines = []
    for found in options_of(cls).values():
        default = "?" if found.default is dataclasses.MISSING else _shown(_plain(found.default))
        lines.append(f"{where}{found.name}={default}".ljust(44) + f"  {found.help}".rstrip())
    return lines


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default if field.default_factory is dataclasses.MISSING else field.default_factory()


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return values_of(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _shown(value: Any) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
