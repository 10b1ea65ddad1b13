"""`@kernel`: compiles a function with numba and keeps the machine code until one of its sources changes.

numba's own cache looks at the file of the decorated function only. A kernel that calls a kernel of another
module, or reads a constant from one, would go on with the old machine code after an edit there (numba issue
1833). Here the stamp of a cached kernel covers its file and every file of this package that the file imports,
directly or through others. Where the code is kept, and how several processes share it, is numba's business.
"""

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar, overload

from numba import njit
from numba.core.caching import FunctionCache, NullCache

Function = TypeVar("Function", bound=Callable[..., Any])

_ROOT = os.path.dirname(__file__)
_IMPORTS = re.compile(
    rf"^(?:from|import) +{os.path.basename(_ROOT)}([\w.]*)(?: +import +(\([^)]*\)|.*))?", re.MULTILINE
)


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
    dispatcher._cache = _SourcesCache(function)
    return dispatcher


class _SourcesCache:
    """numba's cache of one function, stale as soon as any of its sources has changed.

    The digest is that of the import: sources may be edited before the function is compiled. The rest, which
    looks for a folder and tries to write to it, waits for the first call.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._stamp = sources_digest(function.__code__.co_filename)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._numbas, name)

    @cached_property
    def _numbas(self) -> FunctionCache | NullCache:
        try:
            found = FunctionCache(self._function)
        except RuntimeError:  # no folder that numba may write to: every process compiles for itself
            return NullCache()
        found._cache_file._source_stamp = self._stamp
        return found


@cache
def sources_digest(file: str) -> str:
    """A digest of the file and of every file of the package that it imports, directly or through others."""
    sources, waiting = {file}, [file]
    while waiting:
        new = _read(waiting.pop())[1] - sources
        sources |= new
        waiting.extend(new)
    return hashlib.sha256("".join(sorted(_read(source)[0] for source in sources)).encode()).hexdigest()


@cache
def _read(file: str) -> tuple[str, frozenset[str]]:
    """A file's own digest, and the files of the package that it imports itself, `__init__` of folders too."""
    text = Path(file).read_bytes()
    found: set[str] = set()
    for module, names in _IMPORTS.findall(text.decode()):
        place = _ROOT + module.replace(".", os.sep)
        if os.path.isfile(place + ".py"):
            found.add(place + ".py")
        else:
            inside = (f"{place}{os.sep}{name}.py" for name in ("__init__", *re.findall(r"\w+", names)))
            found.update(filter(os.path.isfile, inside))
    return hashlib.sha256(text).hexdigest(), frozenset(found)
