"""From overrides to plain configurations.

Hydra composes the choices of groups. Single values are set on top, section by section (a section is a
top-level key), so that a sweep of many cells composes each section once per choice.
"""

import copy
import functools
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Any

from hydra import compose, initialize_config_module
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.types import Override, OverrideType
from omegaconf import OmegaConf

from stackel_bench.config.groups import FREE, added_folders, group_names, is_free
from stackel_bench.config.overrides import parse, translated
from stackel_bench.config.own_defaults import with_own_defaults
from stackel_bench.errors import InputError, UnknownKeyError

# Whose keys are the fields of what is built from them, and are checked there.
_OPEN = ("algorithm", "budget", "execution", "tracking")


class Composer:
    """Composes configurations, and keeps every section that it has composed."""

    def __init__(self, known_keys: Iterable[str] = ()) -> None:
        self._known_keys = tuple(known_keys)  # of what is built later, for "did you mean"
        self._whole: dict[tuple[str, ...], dict[str, Any]] = {}
        self._sections: dict[tuple[str, ...], dict[str, Any]] = {}
        self._pointing: set[tuple[str, ...]] = set()  # whose values point to others, or are missing

    def compose(self, overrides: Sequence[str]) -> dict[str, Any]:
        """The configuration of these overrides, none of which sweeps; its values are shared, to be read."""
        overrides = with_own_defaults(overrides)
        composed = dict(self._compose(()))
        by_section: dict[str, list[str]] = {}
        for override in overrides:
            parsed = parse(override)
            key = parsed.key_or_group
            if parsed.is_sweep_override():
                allowed = "a single value here; `stackel-bench sweep` takes several"
                raise InputError(parsed.get_key_element(), parsed.input_line, allowed)
            if parsed.type == OverrideType.CHANGE and key in composed and isinstance(parsed.value(), int):
                composed[key] = parsed.value()  # no section: a seed, of which there may be very many
            else:
                by_section.setdefault(_section(parsed), []).append(override)
        sections = [tuple(words) for words in by_section.values()]
        for words in sections:
            if words not in self._sections:
                self._sections[words] = self._changed(words)
            composed |= self._sections[words]
        if self._pointing.isdisjoint([(), *sections]):
            return composed
        with translated("overrides", " ".join(overrides)):
            return _resolved(composed)

    def _changed(self, words: tuple[str, ...]) -> dict[str, Any]:
        """What the overrides of one section change: usually that section alone."""
        overrides = [parse(word) for word in words]
        choices = [each for each in overrides if each.key_or_group in group_names()]
        free = [each for each in choices if is_free(each.key_or_group, each.value())]
        whole = copy.deepcopy(self._compose(tuple(str(c.input_line) for c in choices if c not in free)))
        for choice in free:  # no file describes it; its keys are checked where it is built
            whole[choice.key_or_group] = {"name": choice.value()}
        for override in overrides:
            if override not in choices:
                _set(whole, override, self._known_keys)
        plain = self._compose(())
        changed = {key: value for key, value in whole.items() if key not in plain or plain[key] != value}
        changed |= {key: whole[key] for key in map(_section, overrides) if key in whole}
        if _points(changed):
            self._pointing.add(words)
        return changed

    def _compose(self, choices: tuple[str, ...]) -> dict[str, Any]:
        if choices not in self._whole:
            self._whole[choices] = found = _compose_by_hydra(choices)
            if not choices and _points(found):
                self._pointing.add(())
        return self._whole[choices]


def _section(override: Override) -> str:
    return override.key_or_group.partition(".")[0].partition("/")[0]


def _points(config: dict[str, Any]) -> bool:
    return any(mark in str(config) for mark in ("${", "???"))


def _set(config: dict[str, Any], override: Override, also_known: Iterable[str]) -> None:
    """Set or remove one value; only what is built elsewhere may get new keys."""
    key, value = override.key_or_group, override.value()
    *path, last = key.split(".")
    node: Any = config
    for position, part in enumerate([*path, last]):
        is_open = position > 0 and (path[0] in _OPEN or _has_no_file(path[0], config.get(path[0])))
        if not isinstance(node, dict) or (part not in node and not is_open):
            above = "".join(f"{name}." for name in path[:position])
            known = [f"{above}{name}" for name in node] if isinstance(node, dict) else []
            raise UnknownKeyError(key, known, also_known)
        if position < len(path):
            node = node.setdefault(part, {})
    if override.type == OverrideType.DEL:
        node.pop(last, None)
    else:
        node[last] = copy.deepcopy(value)


def _has_no_file(group: str, section: Any) -> bool:
    """Whether the keys of a section are those of code from outside."""
    return group in FREE and isinstance(section, dict) and is_free(group, section.get("name"))


def _resolved(composed: dict[str, Any]) -> dict[str, Any]:
    """The configuration with values in the place of what points to them."""
    config = OmegaConf.create(composed)
    for key in sorted(OmegaConf.missing_keys(config)):
        raise InputError(key, "???", "a value")
    plain = OmegaConf.to_container(config, resolve=True)
    assert isinstance(plain, dict)
    return {str(name): value for name, value in plain.items()}


def _compose_by_hydra(choices: tuple[str, ...]) -> dict[str, Any]:
    GlobalHydra.instance().clear()
    hydra = initialize_config_module("stackel_bench.conf", version_base="1.3")
    with translated("overrides", " ".join(choices)), hydra:
        plain = OmegaConf.to_container(compose("config", [*_search_path(), *choices]))
    assert isinstance(plain, dict)
    known = _root_keys()
    for name in map(str, plain):
        if name not in known:
            raise UnknownKeyError(name, known)
    for choice in (parsed for parsed in map(parse, choices) if parsed.key_or_group == "study"):
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
