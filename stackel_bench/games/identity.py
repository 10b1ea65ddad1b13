"""A short digest of what a game is, so that random streams and cell ids depend on content alone."""

import functools
import hashlib
import json
import pickle
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodType
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
    """Words that change when one of these functions does: its source, and the values that it is bound to.

    What was typed at a prompt has no source; results of it are never kept.
    """
    for function in functions:
        if isinstance(function, functools.partial):
            yield from program_labels(function.func)
            yield from map(_label, (*function.args, *sorted(function.keywords.items())))
            continue
        code = code_of(function)
        if not code.prompt:
            yield getattr(function, "__qualname__", type(function).__qualname__)
            yield from code.identity
        yield from map(_label, _bound_to(function))


def _bound_to(function: Any) -> tuple[Any, ...]:
    """What a function has in its closure and as defaults, a method's object, an object that is called."""
    if isinstance(function, type | BuiltinFunctionType):
        return ()
    if isinstance(function, MethodType):
        return (function.__self__,)
    if isinstance(function, FunctionType):
        closure = [cell.cell_contents for cell in function.__closure__ or ()]
        return (*closure, function.__defaults__, function.__kwdefaults__)
    return (function,)


def _label(value: Any) -> str:
    """The value, digested; its type's name where it cannot be."""
    if isinstance(value, bool | int | float | str | None):
        return repr(value)
    try:
        return hashlib.blake2b(pickle.dumps(value, protocol=5), digest_size=16).hexdigest()
    except Exception:  # whatever pickling somebody's object raises
        return getattr(value, "__qualname__", type(value).__qualname__)
