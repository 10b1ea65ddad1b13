"""The configuration groups and their options, read from the configuration files themselves."""

from __future__ import annotations

import difflib
import functools
from importlib import resources
from importlib.resources.abc import Traversable

from stackel_bench.errors import InputError


def _root() -> Traversable:
    return resources.files("stackel_bench.conf")


@functools.cache
def group_names() -> tuple[str, ...]:
    """The groups: game, algorithm, budget, ..."""
    return tuple(sorted(e.name for e in _root().iterdir() if e.is_dir() and not e.name.startswith("_")))


@functools.cache
def options(group: str) -> tuple[str, ...]:
    """The options of a group; those of nested folders are named FOLDER/OPTION."""

    def walk(folder: Traversable, prefix: str) -> list[str]:
        found = []
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if entry.is_dir() and not entry.name.startswith("_"):
                found += walk(entry, f"{prefix}{entry.name}/")
            elif entry.name.endswith(".yaml"):
                found.append(prefix + entry.name.removesuffix(".yaml"))
        return found

    return tuple(walk(_root().joinpath(group), ""))


def describe(group: str, option: str) -> str:
    """The one line that the option's file says about it."""
    lines = _root().joinpath(f"{group}/{option}.yaml").read_text("utf-8").splitlines()
    comments = [line.lstrip("# ") for line in lines if line.startswith("#") and "@package" not in line]
    return comments[0] if comments else ""


def require_option(group: str, option: object) -> str:
    """The option if the group has it; an InputError lists what it has, the closest one first."""
    if option not in options(group):
        close = difflib.get_close_matches(str(option), options(group), n=1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise InputError(group, option, "one of " + ", ".join(options(group)) + hint)
    return str(option)
