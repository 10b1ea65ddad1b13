"""What runs on Ray's workers: arguments with the sources that they need, and tasks that are timed."""

import time
from collections.abc import Callable
from typing import Any

import ray.cloudpickle

from stackel_bench.outside import patience
from stackel_bench.outside.sources import Sources, install, installed_sources


class _Shipped:
    """An argument that brings along the sources of the modules that unpickling and using it imports."""

    def __init__(self, value: Any, sources: Sources) -> None:
        self._value, self._sources = value, sources

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Sources, bytes]]:
        return _unpack, (dict(self._sources), ray.cloudpickle.dumps(self._value))


class Inline:
    """A small value that travels inside each task that takes it, pickled once."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[bytes]]:
        return ray.cloudpickle.loads, (self._content,)


def _unpack(sources: Sources, content: bytes) -> Any:
    install(sources)
    return ray.cloudpickle.loads(content)


def shipped(value: Any) -> Any:
    """The value, ready for a worker that lacks the files that this process has loaded."""
    sources = installed_sources()
    return _Shipped(value, sources) if sources else value


def pickled(value: Any) -> bytes:
    """The value as it travels."""
    return ray.cloudpickle.dumps(shipped(value))  # type: ignore[no-any-return]


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """How long the function took, and what it returned."""
    patience.expendable = True
    start = time.perf_counter()
    value = function(*arguments)
    return time.perf_counter() - start, value


def import_package() -> None:
    """Import what tasks need."""
    import stackel_bench.families.registry
    import stackel_bench.trials.pieces  # noqa: F401
