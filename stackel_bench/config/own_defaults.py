"""The overrides that a user's own config.yaml stands for."""

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from stackel_bench.config.groups import group_names, user_folders
from stackel_bench.config.overrides import parse, translated
from stackel_bench.errors import InputError


def with_own_defaults(overrides: Sequence[str]) -> Sequence[str]:
    """The overrides, after those of the user's own config.yaml that they do not replace."""
    own = _defaults(user_folders())
    if not own:
        return overrides
    keys = {parse(override).key_or_group for override in overrides}
    chosen = {f"{key}." for key in keys if key in group_names()}
    kept = [w for w in own if (k := parse(w).key_or_group) not in keys and not k.startswith(tuple(chosen))]
    return [*kept, *overrides]


@functools.cache
def _defaults(folders: tuple[Path, ...]) -> list[str]:
    return [word for folder in reversed(folders) for word in _defaults_of(folder / "config.yaml")]


def _defaults_of(file: Path) -> Iterator[str]:
    """The overrides that a user's config.yaml stands for: choices, also as a list of defaults, and values."""
    if not file.is_file():
        return
    with translated("config.yaml", str(file)):
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
