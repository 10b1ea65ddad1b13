"""What installed packages bring by entry points, loaded when asked for; broken plug-ins are left out."""

import functools
import logging
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from stackel_bench.errors import InputError
from stackel_bench.outside.code import Code, code_of_module, is_editable, note_use
from stackel_bench.outside.reference import Loaded

_LOG = logging.getLogger("stackel_bench")
GAMES, LEARNERS, EXPLORERS, FAMILIES, CONFIGS = "games", "learners", "explorers", "families", "configs"
# One of these members makes a thing what it is declared to be; more is checked when it is chosen.
_MEMBERS = {
    GAMES: ("sampler", "__call__"),
    LEARNERS: ("schedule",),
    EXPLORERS: ("theory_plan",),
    FAMILIES: ("learners",),
    CONFIGS: ("__path__",),
}


@functools.cache
def plugins(kind: str) -> Mapping[str, EntryPoint]:
    """The entry points of one kind by name; of two with one name the first."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=f"stackel_bench.{kind}"):
        if found.setdefault(point.name, point).value != point.value:
            _LOG.warning("%s: %s is taken, and left out here", _title(point), point.name)
    return found


def load_plugin(kind: str, name: str, field: str) -> Loaded:
    """What the plug-in of this name brings, or an InputError that says why it cannot be had."""
    point = plugins(kind)[name]
    try:
        loaded = _load(kind, point)
    except Exception as error:  # somebody's code may raise anything
        reason = f"{type(error).__name__}: {error}"
        sentence = f"{field}={name}: the plug-in {_title(point)} raises {reason}"
        raise InputError(field, name, "a plug-in that loads", sentence) from error
    note_use(loaded.code)
    return loaded


@functools.cache
def loaded_plugins(kind: str) -> Mapping[str, Loaded]:
    """All plug-ins of one kind that load; one line on the screen for each of the others."""
    found = {}
    for name, point in plugins(kind).items():
        try:
            found[name] = _load(kind, point)
        except Exception as error:  # a broken plug-in never breaks the rest
            _LOG.warning("%s: %s is left out: %s: %s", _title(point), name, type(error).__name__, error)
    return found


@functools.cache
def config_folders() -> tuple[Path, ...]:
    """Folders of configurations that plug-ins bring."""
    loaded = loaded_plugins(CONFIGS).values()
    return tuple(Path(place) for found in loaded for place in found.object.__path__)


@functools.cache
def _load(kind: str, point: EntryPoint) -> Loaded:
    thing = point.load()
    if not any(hasattr(thing, member) for member in _MEMBERS[kind]):
        raise TypeError(f"{point.value} is none of the {kind}: it has no {_MEMBERS[kind][0]}")
    code = Code()
    if point.dist is not None and not is_editable(point.dist):
        code = Code(versions={point.dist.name: point.dist.version})
    elif point.dist is not None:
        code = code_of_module(point.module) | Code(versions={point.dist.name: point.dist.version})
    return Loaded(thing, point.name, code)


def _title(point: EntryPoint) -> str:
    return f"plug-in {point.dist.name} {point.dist.version}" if point.dist else f"plug-in {point.value}"
