"""Which code from outside something rests on: it belongs to a cell's identity, and workers need it."""

from __future__ import annotations

import functools
import hashlib
import operator
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from importlib.metadata import Distribution, distribution, packages_distributions
from importlib.util import decode_source, find_spec
from pathlib import Path
from typing import TypeVar

from stackel_bench.errors import InputError
from stackel_bench.outside.sources import PACKAGE, Source, install, sources_of

T = TypeVar("T")


@dataclass(frozen=True)
class Code:
    """Modules by their source, installed distributions by version; what is typed at a prompt has neither."""

    sources: Mapping[str, Source] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)  # by distribution
    prompt: tuple[str, ...] = ()  # what has no source

    @property
    def identity(self) -> list[str]:
        """Words that change when the code does."""
        digests = {
            name: hashlib.blake2b(source.text.encode(), digest_size=16).hexdigest()
            for name, source in self.sources.items()
        }
        return [*(f"{n} {d}" for n, d in sorted((digests | dict(self.versions)).items())), *self.prompt]

    @property
    def modules(self) -> set[str]:
        """Top-level names of the modules."""
        return {name.partition(".")[0] for name in self.sources}

    def __or__(self, other: Code) -> Code:
        for name, source in other.sources.items():
            if self.sources.get(name, source) != source:
                both = f"{self.sources[name].path} and {source.path}"
                sentence = f"{both} are two modules {name} in one command: rename one of the files"
                raise InputError("files", both, f"one module {name}", sentence)
        return Code(
            {**self.sources, **other.sources},
            {**self.versions, **other.versions},
            tuple(dict.fromkeys([*self.prompt, *other.prompt])),
        )


_used: ContextVar[list[Code] | None] = ContextVar("used", default=None)
_versions: dict[str, str] = {}


def versions_used() -> Mapping[str, str]:
    """The distributions that this process uses beside this package, which workers must have as well."""
    return _versions


def with_code(load: Callable[[], T]) -> tuple[T, Code]:
    """What a call returns, and the code of whatever it loads from outside."""
    collected: list[Code] = []
    token = _used.set(collected)
    try:
        return load(), functools.reduce(operator.or_, collected, Code())
    finally:
        _used.reset(token)


def note_use(code: Code) -> None:
    """Tell whoever collects that this code is used."""
    _versions.update(code.versions)
    collected = _used.get()
    if collected is not None:
        collected.append(code)


def code_of(thing: object) -> Code:
    """The code that an object, a class or a function rests on; nothing where that is this package's own."""
    own = (
        thing
        if isinstance(thing, type) or (callable(thing) and hasattr(thing, "__qualname__"))
        else type(thing)
    )
    module = str(getattr(own, "__module__", "__main__"))
    if module.partition(".")[0] in {PACKAGE, *sys.stdlib_module_names} - {"__main__"}:
        return Code()
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or not Path(file).is_file():
        return Code(prompt=(f"{module}.{getattr(own, '__qualname__', '')}",))
    path = Path(file).resolve()
    if module == "__main__":  # the class itself travels by value, its neighbours do not
        main = Source(str(path), decode_source(path.read_bytes()))
        neighbours = {n: s for n, s in sources_of(path.parent, path.stem).items() if n != path.stem}
        install(neighbours)
        return Code({**neighbours, "__main__": main})
    return code_of_module(module)


def has_source(thing: object) -> bool:
    """Whether results of this object can be kept: its code is known, unlike that of a class at a prompt."""
    return not code_of(thing).prompt


def code_of_module(name: str) -> Code:
    """The code of an importable module: the version of its distribution, or its source if that may change."""
    top = name.partition(".")[0]
    if top in {PACKAGE, *sys.stdlib_module_names}:
        return Code()
    names = _top_level_names().get(top, [])
    fixed = [found for found in map(distribution, names) if not is_editable(found)]
    if fixed:
        return Code(versions={found.name: found.version for found in fixed})
    spec = find_spec(top)
    places = [spec.origin] if spec and spec.origin else list((spec and spec.submodule_search_locations) or [])
    if not places:
        return Code()
    place = Path(places[0]).resolve()
    folder = place.parent.parent if place.name == "__init__.py" else place.parent
    sources = sources_of(folder, name)
    install(sources)
    return Code(sources)


def is_editable(found: Distribution) -> bool:
    """Whether the distribution's code may change without its version."""
    return '"editable": true' in (found.read_text("direct_url.json") or "").replace('":true', '": true')


_top_level_names = functools.cache(packages_distributions)
