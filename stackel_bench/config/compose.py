"""From command-line overrides to typed configurations: one per cell of the product they span."""

from __future__ import annotations

import contextlib
import copy
import difflib
import fnmatch
import functools
import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from hydra import compose, initialize_config_module
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override, OverrideType
from hydra.errors import HydraException
from omegaconf import BooleanNode, DictConfig, FloatNode, IntegerNode, ListConfig, OmegaConf, StringNode
from omegaconf.errors import OmegaConfBaseException

from stackel_bench.config.groups import group_names, options, require_option
from stackel_bench.config.schema import Config
from stackel_bench.errors import InputError

MOST_CELLS = 1_000_000
_TYPES = {
    BooleanNode: "true or false",
    IntegerNode: "an integer",
    FloatNode: "a number",
    StringNode: "text",
    DictConfig: "a mapping {KEY: VALUE, ...}",
    ListConfig: "a list [VALUE, ...]",
}
SYNTAX = "KEY=VALUE, or KEY=A,B for a sweep (Hydra's override grammar)"


def parse(override: str) -> Override:
    """One override, parsed; group choices are checked against the group's options."""
    return _parse(override)


def alternatives(override: str) -> list[str]:
    """The single overrides that a sweep override stands for; itself if it sweeps over nothing."""
    parsed = parse(override)
    if not parsed.is_sweep_override():
        return [override]
    key = parsed.get_key_element()
    swept = parsed.value()
    if isinstance(swept, Glob):
        if parsed.key_or_group not in group_names():
            raise InputError(key, override, f"glob on a group: {', '.join(group_names())}")
        names = [
            name
            for name in options(parsed.key_or_group)
            if any(fnmatch.fnmatch(name, pattern) for pattern in swept.include)
            and not any(fnmatch.fnmatch(name, pattern) for pattern in swept.exclude)
        ]
        if not names:
            raise InputError(key, override, "one of " + ", ".join(options(parsed.key_or_group)))
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


class Composer:
    """Composes configurations; choices of groups are composed once, single values are set on top."""

    def __init__(self) -> None:
        self._composed: dict[tuple[str, ...], DictConfig] = {}
        self._plain: dict[tuple[str, ...], dict[str, Any]] = {}
        self._trial: dict[tuple[tuple[str, ...], str], DictConfig] = {}  # one per key: copying takes long
        self._converted: dict[tuple[tuple[str, ...], str], Any] = {}

    def compose(self, overrides: Sequence[str]) -> DictConfig:
        """The typed configuration of these overrides, none of which sweeps."""
        structural, single = _split([parse(override) for override in overrides])
        config = copy.deepcopy(self._base(structural))
        for override in single:
            _set(config, override.key_or_group, override.value())
        if _refers(overrides):
            _resolve(config, overrides)
        return config

    def compose_plain(self, overrides: Sequence[str], keys: Collection[str]) -> dict[str, Any]:
        """Some top-level keys of the same configuration as plain values; much faster for many cells."""
        if _refers(overrides):
            composed = self.compose(overrides)
            return {key: _plain(composed[key]) for key in keys}
        wanted = [o for o in map(parse, overrides) if o.key_or_group.split(".")[0] in keys]
        structural, single = _split(wanted)
        if structural not in self._plain:
            plain = OmegaConf.to_container(self._base(structural))
            assert isinstance(plain, dict)
            self._plain[structural] = {str(key): value for key, value in plain.items() if key in keys}
        config = copy.deepcopy(self._plain[structural])
        for override in single:
            *path, last = override.key_or_group.split(".")
            value = self._convert(structural, override)
            functools.reduce(lambda node, part: node[part], path, config)[last] = copy.deepcopy(value)
        return config

    def _base(self, structural: tuple[str, ...]) -> DictConfig:
        if structural not in self._composed:
            self._composed[structural] = _compose_typed(structural)
        return self._composed[structural]

    def _convert(self, structural: tuple[str, ...], override: Override) -> Any:
        """The value that setting the override leads to: checked and converted once."""
        memo = structural, override.input_line or ""
        if memo not in self._converted:
            key = override.key_or_group
            if (structural, key) not in self._trial:
                self._trial[structural, key] = copy.deepcopy(self._base(structural))
            _set(self._trial[structural, key], key, override.value())
            self._converted[memo] = _plain(OmegaConf.select(self._trial[structural, key], key))
        return self._converted[memo]


def _split(parsed: Sequence[Override]) -> tuple[tuple[str, ...], list[Override]]:
    """Overrides that change what is composed, and those that set one value in it."""
    for override in parsed:
        if override.is_sweep_override():
            allowed = "a single value here; `stackel-bench sweep` takes several"
            raise InputError(override.get_key_element(), override.input_line, allowed)
    structural = tuple(o.input_line or "" for o in parsed if not _sets_one_value(o))
    return structural, [o for o in parsed if _sets_one_value(o)]


def _sets_one_value(override: Override) -> bool:
    return override.type == OverrideType.CHANGE and override.key_or_group not in group_names()


def _set(config: DictConfig, key: str, value: Any) -> None:
    node: Any = config
    parts = key.split(".")
    for part in parts:
        if not isinstance(node, DictConfig) or part not in node:
            known = sorted(map(str, node)) if isinstance(node, DictConfig) else []
            close = difflib.get_close_matches(part, known, n=1)
            hint = f" (did you mean {close[0]}?)" if close else ""
            raise InputError(key, value, "no such key; known here: " + (", ".join(known) or "none") + hint)
        node = node._get_node(part)
    try:
        OmegaConf.update(config, key, value, merge=False)
    except OmegaConfBaseException as error:
        raise InputError(key, value, _type_of(node)) from error


def _type_of(node: Any) -> str:
    """What a node of a typed configuration holds, in words."""
    name = next((words for kind, words in _TYPES.items() if isinstance(node, kind)), "another value")
    return name + (" or null" if node._is_optional() else "")


def _refers(overrides: Sequence[str]) -> bool:
    """Whether a value may point to another one (Hydra writes ${x} as $\\{x\\} in sweeps), or is missing."""
    return any("$" in override or "???" in override for override in overrides)


def _resolve(config: DictConfig, overrides: Sequence[str]) -> None:
    """Put values in the place of references, or say now what would fail in the middle of a sweep."""
    with _translated("overrides", " ".join(overrides)):
        OmegaConf.resolve(config)
    for key in sorted(OmegaConf.missing_keys(config)):
        raise InputError(key, "???", "a value")


def _plain(value: Any) -> Any:
    return OmegaConf.to_container(value) if OmegaConf.is_config(value) else value


def _compose_typed(overrides: Sequence[str]) -> DictConfig:
    with _translated("overrides", " ".join(overrides)), _hydra():
        composed = compose("config", list(overrides))
        typed = OmegaConf.merge(OmegaConf.structured(Config), composed)
    assert isinstance(typed, DictConfig)
    OmegaConf.set_struct(typed, True)
    return typed


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
    except (HydraException, OmegaConfBaseException) as error:
        reason = " ".join(str(error).split("full_key")[0].split())
        raise InputError(field, found, reason) from error


@functools.cache
def _parser() -> OverridesParser:
    return OverridesParser.create()


@functools.lru_cache(maxsize=100_000)
def _parse(text: str) -> Override:
    try:
        override = _parser().parse_override(text)
    except HydraException as error:
        raise InputError("override", text, SYNTAX) from error
    if override.key_or_group == "claim":
        raise InputError("claim", text, "nothing here: `stackel-bench reproduce` takes claims")
    if override.key_or_group in group_names() and not override.is_sweep_override():
        if override.type == OverrideType.DEL:
            raise InputError(override.key_or_group, text, "a group that is always there")
        require_option(override.key_or_group, override.value())
    return override
