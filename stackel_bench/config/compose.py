"""From command-line overrides to plain configurations: one per cell of the product they span.

Hydra composes the choices of groups. Single values are set on top, section by section (a section is a
top-level key), so that a sweep of many cells composes each section once per choice.
"""

from __future__ import annotations

import contextlib
import copy
import fnmatch
import functools
import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from hydra import compose, initialize_config_module
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override, OverrideType, ValueType
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from stackel_bench.config.groups import (
    added_folders,
    file_options,
    group_names,
    options,
    require_option,
    user_folders,
)
from stackel_bench.errors import InputError, NoEffectError, UnknownKeyError
from stackel_bench.outside.reference import is_reference
from stackel_bench.text import is_printable

MOST_CELLS = 1_000_000
_WHOLE_NUMBER = re.compile(r"([a-z_][a-z_.]*)=(-?[1-9][0-9]{0,17}|0)")
_ODD_NUMBER = re.compile(
    r"(?<![^=,:()\[\]{}\s])[+-]?[0-9][0-9_.]*_[0-9_.]*([eE][+-]?[0-9_]+)?(?![^,:()\[\]{}\s])"
)
_POINTER = re.compile(r"([a-z_][a-z_.]*)='?\$\\?\{([a-z_.]+)\\?\}'?")  # KEY=${OTHER}
_NUMBER = re.compile(r"([a-z_][a-z_.]*)=([0-9]+(\.[0-9]+)?)")
SYNTAX = "KEY=VALUE, or KEY=A,B for a sweep (Hydra's override grammar)"
# Whose keys are the fields of what is built from them, and are checked there.
_OPEN = ("algorithm", "budget", "execution", "tracking")
_FREE = ("game", "algorithm")  # groups in which FILE:NAME can be chosen


def parse(override: str) -> Override:
    """One override, parsed; group choices are checked against the group's options."""
    return _parse(override, added_folders())


def alternatives(override: str) -> list[str]:
    """The single overrides that a sweep override stands for; itself if it sweeps over nothing."""
    parsed = parse(override)
    if not parsed.is_sweep_override():
        return [override]
    key = parsed.get_key_element()
    swept = parsed.value()
    if isinstance(swept, Glob):
        if parsed.key_or_group not in group_names():
            sentence = f"{override}: glob(...) works for {', '.join(group_names())} only"
            raise InputError(key, override, ", ".join(group_names()), sentence)
        names = [
            name
            for name in options(parsed.key_or_group)
            if any(fnmatch.fnmatch(name, pattern) for pattern in swept.include)
            and not any(fnmatch.fnmatch(name, pattern) for pattern in swept.exclude)
        ]
        if not names:
            known = options(parsed.key_or_group)
            sentence = f"{override} matches nothing; {parsed.key_or_group} is one of {', '.join(known)}"
            raise InputError(key, override, ", ".join(known), sentence)
        return [f"{key}={name}" for name in names]
    try:
        values = list(itertools.islice(parsed.sweep_string_iterator(), MOST_CELLS + 1))
    except (HydraException, ValueError, ArithmeticError) as error:  # interval, range with step 0 or nan
        raise InputError(key, override, "values that can be listed: A,B or range(START,STOP,STEP)") from error
    if not values:
        raise InputError(key, override, "at least one value")
    if len(values) > MOST_CELLS:
        raise InputError(key, override, f"at most {MOST_CELLS} values")
    return [f"{key}={value}" for value in values]


def product(overrides: Sequence[str]) -> Iterator[list[str]]:
    """All combinations of a list of overrides, the last one varying fastest."""
    choices = [alternatives(override) for override in overrides]
    number = math.prod(map(len, choices))
    if number > MOST_CELLS:
        raise InputError("number of cells", number, f"at most {MOST_CELLS} in one sweep")
    return map(list, itertools.product(*choices))


def merge_overrides(base: Iterable[str], stronger: Iterable[str]) -> list[str]:
    """Overrides of base, except for keys that stronger sets; stronger ones last."""
    stronger = list(stronger)
    keys = {parse(override).get_key_element() for override in stronger}
    return [override for override in base if parse(override).get_key_element() not in keys] + stronger


def _with_defaults(overrides: Sequence[str]) -> Sequence[str]:
    """The overrides, after those of the user's own config.yaml that they do not replace."""
    own = _defaults(user_folders())
    if not own:
        return overrides
    keys = {parse(override).key_or_group for override in overrides}
    chosen = {f"{key}." for key in keys if key in group_names()}
    kept = [w for w in own if (k := parse(w).key_or_group) not in keys and not k.startswith(tuple(chosen))]
    return [*kept, *overrides]


def _with_numbers(overrides: Sequence[str]) -> Sequence[str]:
    """The overrides, with numbers that they set themselves in the place of what points to them.

    Hydra resolves pointers too, but composes everything anew for it.
    """
    if not any("$" in override for override in overrides):
        return overrides
    numbers = {found[1]: found[2] for word in overrides if (found := _NUMBER.fullmatch(word))}
    pointers = (_POINTER.fullmatch(word) for word in overrides)
    return [
        f"{found[1]}={numbers[found[2]]}" if found and found[2] in numbers else word
        for word, found in zip(overrides, pointers, strict=True)
    ]


@functools.cache
def _defaults(folders: tuple[Path, ...]) -> list[str]:
    return [word for folder in reversed(folders) for word in _defaults_of(folder / "config.yaml")]


def _defaults_of(file: Path) -> Iterator[str]:
    """The overrides that a user's config.yaml stands for: choices, also as a list of defaults, and values."""
    if not file.is_file():
        return
    with _translated("config.yaml", str(file)):
        content = OmegaConf.to_container(OmegaConf.create(file.read_text("utf-8")))
    if not isinstance(content, dict):
        raise InputError("config.yaml", str(file), "keys and values")
    for choice in content.pop("defaults", []):
        if isinstance(choice, dict):
            yield from (f"{str(group).removeprefix('override ')}={name}" for group, name in choice.items())
    yield from _flat(content)


def _flat(content: Mapping[Any, Any], prefix: str = "") -> Iterator[str]:
    for key, value in content.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            is_choice = not prefix and key in group_names()
            chosen = "off" if value is False else value  # as YAML reads that word
            yield f"{prefix}{key}={chosen if is_choice else json.dumps(value)}"


class Composer:
    """Composes configurations, and keeps every section that it has composed."""

    def __init__(self, known_keys: Iterable[str] = ()) -> None:
        self._known_keys = tuple(known_keys)  # of what is built later, for "did you mean"
        self._whole: dict[tuple[str, ...], dict[str, Any]] = {}
        self._sections: dict[tuple[str, ...], dict[str, Any]] = {}

    def compose(self, overrides: Sequence[str]) -> dict[str, Any]:
        """The configuration of these overrides, none of which sweeps; its values are shared, to be read."""
        overrides = _with_numbers(_with_defaults(overrides))
        if any("$" in override or "???" in override for override in overrides):
            return _resolved(overrides)  # a value may point to any other section
        composed = dict(self._compose(()))
        by_section: dict[str, list[str]] = {}
        for override in overrides:
            parsed = parse(override)
            key = parsed.key_or_group
            if _sets_one_value(parsed) and key in composed and not parsed.is_sweep_override():
                composed[key] = parsed.value()  # no section: a seed, of which there may be very many
            else:
                by_section.setdefault(_section(parsed), []).append(override)
        for words in map(tuple, by_section.values()):
            if words not in self._sections:
                self._sections[words] = self._changed(words)
            composed |= self._sections[words]
        return composed

    def _changed(self, overrides: tuple[str, ...]) -> dict[str, Any]:
        """What the overrides of one section change: usually that section alone."""
        structural, single = _split(overrides)
        whole = copy.deepcopy(self._compose(structural))
        for override in single:
            _set(whole, override.key_or_group, override.value(), self._known_keys)
        plain = self._compose(())
        changed = {key: value for key, value in whole.items() if key not in plain or plain[key] != value}
        return changed | {key: whole[key] for key in map(_section, map(parse, overrides)) if key in whole}

    def _compose(self, structural: tuple[str, ...]) -> dict[str, Any]:
        if structural not in self._whole:
            self._whole[structural] = _compose_by_hydra(structural)
        return self._whole[structural]


def _section(override: Override) -> str:
    return override.key_or_group.partition(".")[0].partition("/")[0]


def _split(overrides: Iterable[str]) -> tuple[tuple[str, ...], list[Override]]:
    """Overrides that change what is composed, and those that set one value in it."""
    parsed = [parse(override) for override in overrides]
    for override in parsed:
        if override.is_sweep_override():
            allowed = "a single value here; `stackel-bench sweep` takes several"
            raise InputError(override.get_key_element(), override.input_line, allowed)
    structural = tuple(o.input_line or "" for o in parsed if not _sets_one_value(o))
    return structural, [o for o in parsed if _sets_one_value(o)]


def _sets_one_value(override: Override) -> bool:
    return override.type == OverrideType.CHANGE and override.key_or_group not in group_names()


def _is_free(override: Override) -> bool:
    """Whether a game or learner is chosen that no file describes; its keys are checked where it is built."""
    group, value = override.key_or_group, override.value()
    return group in _FREE and _has_no_file(group, value)


def _has_no_file(group: str, option: Any) -> bool:
    return is_reference(option) or (option in options(group) and option not in file_options(group))


def _in_hydras_words(override: str) -> tuple[str, ...]:
    """A choice that no file describes, as the deletion of the default and a name in its place."""
    parsed = parse(override)
    if not _is_free(parsed):
        return (override,)
    text = str(parsed.value()).replace("\\", "\\\\").replace("'", "\\'")
    return (f"~{parsed.key_or_group}", f"+{parsed.key_or_group}.name='{text}'")


def _set(config: dict[str, Any], key: str, value: Any, also_known: Iterable[str]) -> None:
    *path, last = key.split(".")
    node: Any = config
    for position, part in enumerate([*path, last]):
        is_open = position > 0 and (path[0] in _OPEN or _is_open(path[0], config.get(path[0])))
        if not isinstance(node, dict) or (part not in node and not is_open):
            above = "".join(f"{name}." for name in path[:position])
            known = [f"{above}{name}" for name in node] if isinstance(node, dict) else []
            raise UnknownKeyError(key, known, also_known)
        if position < len(path):
            node = node.setdefault(part, {})
    node[last] = copy.deepcopy(value)


def _is_open(group: str, section: Any) -> bool:
    """Whether the keys of a section are those of code from outside."""
    return group in _FREE and isinstance(section, dict) and _has_no_file(group, section.get("name"))


def _resolved(overrides: Sequence[str]) -> dict[str, Any]:
    """The configuration with values in the place of references (Hydra writes ${x} as $\\{x\\} in sweeps)."""
    structural, single = _split(overrides)
    free = {*_OPEN, *(o.key_or_group for o in map(parse, structural) if _is_free(o))}
    settled = [
        ("++" if _section(o) in free and "." in o.key_or_group else "") + (o.input_line or "") for o in single
    ]
    return _compose_by_hydra((*structural, *settled))


def _compose_by_hydra(overrides: tuple[str, ...]) -> dict[str, Any]:
    with _translated("overrides", " ".join(overrides)), _hydra():
        words = [word for override in overrides for word in _in_hydras_words(override)]
        config = compose("config", [*_search_path(), *words])
        for key in sorted(OmegaConf.missing_keys(config)):
            raise InputError(key, "???", "a value")
        plain = OmegaConf.to_container(config, resolve=True)
    assert isinstance(plain, dict)
    known = _root_keys()
    for name in map(str, plain):
        if name not in known:
            raise UnknownKeyError(name, known)
    for choice in (parsed for parsed in map(parse, overrides) if parsed.key_or_group == "study"):
        plain["study"].setdefault("name", choice.value())  # a file that does not say how its study is called
    return {str(name): value for name, value in plain.items()}


def _search_path() -> list[str]:
    places = ",".join("'file://" + str(folder).replace("'", "\\'") + "'" for folder in added_folders())
    return [f"hydra.searchpath=[{places}]"] if places else []


@functools.cache
def _root_keys() -> frozenset[str]:
    """What config.yaml has, and the groups of its defaults; to compose it takes ten times as long."""
    text = resources.files("stackel_bench.conf").joinpath("config.yaml").read_text("utf-8")
    root = dict(OmegaConf.create(text))
    chosen = [str(group) for choice in root.pop("defaults") if choice != "_self_" for group in choice]
    return frozenset([*map(str, root), *chosen])


@contextlib.contextmanager
def _hydra() -> Iterator[None]:
    GlobalHydra.instance().clear()
    with initialize_config_module("stackel_bench.conf", version_base="1.3"):
        yield


@contextlib.contextmanager
def _translated(field: str, found: object) -> Iterator[None]:
    """Hydra's and OmegaConf's errors as one sentence."""
    try:
        yield
    except (HydraException, OmegaConfBaseException, YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split("full_key")[0].split())
        raise InputError(field, found, reason) from error


@functools.cache
def _parser() -> OverridesParser:
    return OverridesParser.create()


@functools.lru_cache(maxsize=10_000)
def _parse(text: str, folders: tuple[Path, ...]) -> Override:
    whole = _WHOLE_NUMBER.fullmatch(text)
    if whole and whole[1] not in group_names():  # a sweep over seeds has thousands of these
        return Override(OverrideType.CHANGE, whole[1], ValueType.ELEMENT, int(whole[2]), input_line=text)
    if not is_printable(text) or _ODD_NUMBER.search(text):
        raise InputError("override", text, f"{SYNTAX}, without control characters, numbers without _")
    try:
        override = _parser().parse_override(text)
    except HydraException as error:
        raise InputError("override", text, SYNTAX) from error
    if override.key_or_group == "claim":
        raise NoEffectError("claim", "only `stackel-bench reproduce` takes claims")
    if override.key_or_group in group_names() and not override.is_sweep_override():
        if override.type == OverrideType.DEL:
            sentence = f"{override.key_or_group} cannot be removed"
            raise InputError(override.key_or_group, text, "a group that is always there", sentence)
        if not _is_free(override):
            require_option(override.key_or_group, override.value())
    return override
