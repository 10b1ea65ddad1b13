"""A short digest of what a game is, so that random streams and cell ids depend on content alone."""

import functools
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from stackel_bench.outside.code import code_of


def digest_of_arrays(family: str, arrays: Iterable[np.ndarray], *labels: object) -> str:
    """The digest of a game given by its arrays (shape and bytes) and a few labels."""
    digest = hashlib.blake2b(json.dumps([family, *map(str, labels)]).encode(), digest_size=16)
    for array in arrays:
        digest.update(json.dumps(array.shape).encode())
        digest.update(np.ascontiguousarray(array, dtype="<f8").tobytes())
    return digest.hexdigest()


def program_labels(*functions: Callable[..., Any]) -> Iterator[str]:
    """Words that change when one of these functions does: its source, and plain values that it is bound to.

    What was typed at a prompt has no source; results of it are never kept.
    """
    for function in functions:
        if isinstance(function, functools.partial):
            yield from program_labels(function.func)
            yield repr((function.args, sorted(function.keywords.items())))
            continue
        code = code_of(function)
        if not code.prompt:
            yield getattr(function, "__qualname__", type(function).__qualname__)
            yield from code.identity
        bound = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
        yield repr([value for value in bound if isinstance(value, bool | int | float | str | tuple)])
