"""The configuration groups and their options: the package's own, plug-ins', and the user's."""

import functools
import os
from collections.abc import Iterable
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from stackel_bench.errors import InputError, UnavailableError, UnknownNameError, expanded
from stackel_bench.outside import plugins
from stackel_bench.outside.reference import is_reference

VARIABLE = "STACKEL_BENCH_CONFIG_DIR"
FREE = {
    "game": plugins.GAMES,
    "algorithm": plugins.LEARNERS,
}  # groups in which code is chosen, and its plug-ins
_given: tuple[Path, ...] = ()


def use_folders(folders: Iterable[str]) -> None:
    """Let these folders (`--config-dir`) join the groups, beside those that the environment names."""
    global _given
    paths = [expanded("--config-dir", folder) for folder in folders]
    for path in paths:
        if not path.is_dir():
            raise UnavailableError("--config-dir", f"read the folder {path}", "there is none")
    _given = tuple(path.resolve() for path in paths)


def given_folders() -> tuple[Path, ...]:
    """The folders of the command line."""
    return _given


def user_folders() -> tuple[Path, ...]:
    """The folders of the command line, then those of the environment."""
    return tuple(dict.fromkeys([*_given, *_named(os.environ.get(VARIABLE, ""))]))


@functools.cache
def _named(text: str) -> tuple[Path, ...]:
    paths = [expanded("configuration folder", word).resolve() for word in text.split(os.pathsep) if word]
    for path in paths:
        if not path.is_dir():
            raise UnavailableError(VARIABLE, f"read the folder {path} that {VARIABLE} names", "there is none")
    return tuple(paths)


def added_folders() -> tuple[Path, ...]:
    """All folders beside the package's own: the user's, then those of plug-ins."""
    return (*user_folders(), *plugins.config_folders())


def _own() -> Traversable:
    return resources.files("stackel_bench.conf")


@functools.cache
def group_names() -> tuple[str, ...]:
    """The groups: game, algorithm, budget, ..."""
    return tuple(sorted(e.name for e in _own().iterdir() if e.is_dir() and not e.name.startswith("_")))


def options(group: str) -> tuple[str, ...]:
    """The options of a group; those of nested folders are named FOLDER/OPTION."""
    return tuple(dict.fromkeys([*file_options(group), *plugins.plugins(FREE.get(group, ""))]))


def file_options(group: str) -> tuple[str, ...]:
    """The options that a file describes."""
    return tuple(_files(group, added_folders()))


def is_free(group: str, option: object) -> bool:
    """Whether this is a game or learner that no file describes: FILE:NAME, or of a plug-in."""
    named = is_reference(option) or (option in options(group) and option not in file_options(group))
    return group in FREE and named


def option_text(group: str, option: str) -> str:
    """The file of an option; of one that has none, what its plug-in says about itself."""
    file = _files(group, added_folders()).get(option)
    if file is not None:
        return file.read_bytes().decode("utf-8", errors="replace")
    found = plugins.loaded_plugins(FREE[group]).get(option)
    lines = (getattr(found and found.object, "__doc__", None) or "").strip().splitlines()
    return "\n".join(f"# {line.strip()}".rstrip() for line in lines)


def describe(group: str, option: str) -> str:
    """The one line that the option's file says about it."""
    lines = option_text(group, option).splitlines()
    comments = [line.lstrip("# ") for line in lines if line.startswith("#") and "@package" not in line]
    return comments[0] if comments else ""


def require_option(group: str, option: object) -> str:
    """The option if the group has it; an InputError lists what it has, the closest one first."""
    if option not in options(group):
        advice = ", or FILE:NAME of your own" if group in FREE else ""
        if str(option).endswith((".yaml", ".yml")):
            advice = f"; a file of yours: FOLDER/{group}/NAME.yaml, then {group}=NAME --config-dir FOLDER"
        raise UnknownNameError(group, option, options(group), advice)
    return str(option)


@functools.cache
def _files(group: str, folders: tuple[Path, ...]) -> dict[str, Traversable]:
    """Files of a group by option; a user's file cannot take the name of one that is there."""
    found = dict(_walk(_own().joinpath(group), ""))
    for folder in folders:
        for option, file in _walk(folder / group, ""):
            if option in found and folder not in plugins.config_folders():
                sentence = f"there is a {group}={option} already: rename {file}"
                raise InputError("--config-dir", str(folder), "a name of its own", sentence)
            found.setdefault(option, file)
    return found


def _walk(folder: Traversable, prefix: str) -> Iterable[tuple[str, Traversable]]:
    if not folder.is_dir():
        return
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and not entry.name.startswith("_"):
            yield from _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(".yaml"):
            yield prefix + entry.name.removesuffix(".yaml"), entry
