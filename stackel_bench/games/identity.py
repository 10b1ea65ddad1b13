"""A short digest of what a game is, so that random streams and cell ids depend on content alone."""

from __future__ import annotations

import functools
import hashlib
import json
import marshal
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
    """Words that change when one of these functions does: its source, what it is bound to, its bytes."""
    for function in functions:
        if isinstance(function, functools.partial):
            yield from program_labels(function.func)
            yield repr((function.args, sorted(function.keywords.items())))
            continue
        code, compiled = code_of(function), getattr(function, "__code__", None)
        yield getattr(function, "__qualname__", type(function).__qualname__)
        yield from code.identity
        if code.prompt and compiled is not None:
            yield hashlib.blake2b(marshal.dumps(compiled), digest_size=16).hexdigest()
        bound = [cell.cell_contents for cell in getattr(function, "__closure__", None) or ()]
        yield repr([value for value in bound if isinstance(value, bool | int | float | str | tuple)])
