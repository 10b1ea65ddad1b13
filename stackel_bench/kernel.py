"""`@kernel`: compiles a function with numba and keeps the machine code until one of its sources changes.

numba's own cache looks at the file of the decorated function only. A kernel that calls a kernel of another
module, or reads a constant from one, would go on with the old machine code after an edit there (numba issue
1833). Here the stamp of a cached kernel covers its file and every file of this package that the file imports,
directly or through others. Where the code is kept, and how several processes share it, is numba's business.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, overload

from numba import njit
from numba.core.caching import FunctionCache

Function = TypeVar("Function", bound=Callable[..., Any])

_ROOT = Path(__file__).parent
_IMPORTS = re.compile(rf"^(?:from|import) +{_ROOT.name}([\w.]*)(?: +import +(\([^)]*\)|.*))?", re.MULTILINE)


@overload
def kernel(function: Function, /) -> Function: ...
@overload
def kernel(**options: Any) -> Callable[[Function], Function]: ...
def kernel(function: Any = None, /, **options: Any) -> Any:
    """The function, compiled when it is first called; options are those of `numba.njit`, except cache."""
    if function is None:
        return lambda decorated: _cached(decorated, options)
    return _cached(function, options)


def _cached(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    dispatcher = njit(**options)(function)
    with suppress(RuntimeError):  # no folder that numba may write to: every process compiles for itself
        dispatcher._cache = _SourcesCache(function)
    return dispatcher


class _SourcesCache(FunctionCache):
    """numba's cache of one function, stale as soon as any of its sources has changed."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file._source_stamp = sources_digest(Path(function.__code__.co_filename))


@cache
def sources_digest(file: Path) -> str:
    """A digest of the file and of every file of the package that it imports, directly or through others."""
    sources, waiting = {file}, [file]
    while waiting:
        new = _imported(waiting.pop()) - sources
        sources |= new
        waiting.extend(new)
    return hashlib.sha256("".join(sorted(map(_digest, sources))).encode()).hexdigest()


@cache
def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


@cache
def _imported(file: Path) -> frozenset[Path]:
    """The files of the package that a file imports itself: modules, and `__init__` of folders."""
    found: set[Path] = set()
    for module, names in _IMPORTS.findall(file.read_text("utf-8")):
        place = _ROOT.joinpath(*module.split(".")[1:])
        inside = [place / f"{name}.py" for name in ("__init__", *re.findall(r"\w+", names))]
        found.update(path for path in (place.with_suffix(".py"), *inside) if path.is_file())
    return frozenset(found)
