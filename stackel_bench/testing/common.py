"""What the checks share: options, pickles, contents to compare, a sampler whose truth is out of reach."""

import dataclasses
import inspect
import io
import pickle
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.families.family import Contract
from stackel_bench.families.registry import family_of
from stackel_bench.testing.report import Broken, require
from stackel_bench.text import plural


def contract_of(family: str) -> Contract:
    """What the family says about its samplers."""
    found = family_of(family).contract
    if found is None:
        raise InputError("family", family, "a family whose record has a contract, which checks need")
    return found


def built(thing: Any, kind: str) -> Any:
    """An object of the class, with default options, or the object itself."""
    if not isinstance(thing, type):
        return thing
    try:
        return thing()
    except TypeError as error:
        raise InputError(kind, thing.__name__, f"a class whose options have defaults; {error}") from error


def content(value: Any) -> bytes:
    """Equal exactly for equal content, however its parts are shared and its arrays laid out."""
    written = io.BytesIO()
    pickler = _Contents(written)
    pickler.fast = True  # what occurs twice is written twice
    pickler.dump(value)
    return written.getvalue()


class _Contents(pickle.Pickler):
    """Writes arrays in one order of their elements."""

    def reducer_override(self, value: Any) -> Any:
        """Shape, type and elements of an array; everything else as usual."""
        if type(value) is np.ndarray and value.dtype != object:
            return np.ndarray, (value.shape, value.dtype.str, value.tobytes())
        return NotImplemented


def options_kept(thing: Any) -> str:
    """Its options are fields of a frozen dataclass, with defaults."""
    cls = type(thing)
    require(dataclasses.is_dataclass(cls), f"{cls.__name__} is no dataclass: add @dataclass(frozen=True)")
    require(cls.__dataclass_params__.frozen, f"{cls.__name__} is not frozen: add frozen=True")
    require(isinstance(getattr(thing, "name", None), str), f"{cls.__name__} has no name, which is a text")
    fields = [each for each in dataclasses.fields(thing) if each.init]
    missing = dataclasses.MISSING
    bare = [f.name for f in fields if f.default is missing and f.default_factory is missing]
    require(not bare, f"no default of {', '.join(bare)}")
    return f"frozen dataclass, {plural(len(fields), 'option')}"


def sent(thing: Any) -> Any:
    """The thing as a worker gets it."""
    try:
        return pickle.loads(pickle.dumps(thing))
    except Exception as error:  # whatever its parts raise
        raise Broken(f"{type(thing).__name__} cannot be sent to a worker: {error}") from error


@dataclass
class Ledger:
    """What was drawn through closed samplers, and which private names were asked for."""

    drawn: float = 0.0
    looked: list[str] = field(default_factory=list)


def closed(sampler: Any, contract: Contract, ledger: Ledger) -> Any:
    """The sampler with its public names alone; the truth that it holds cannot be reached without a note."""

    class Closed:
        def __getattribute__(self, name: str) -> Any:
            if name == "__dict__" or (name.startswith("_") and not name.startswith("__")):
                ledger.looked.append(name)
            elif name.startswith("__"):
                return object.__getattribute__(self, name)
            value = getattr(sampler, name)
            return _counted(name, value, contract, ledger) if inspect.isroutine(value) else value

    return Closed()


def _counted(name: str, method: Any, contract: Contract, ledger: Ledger) -> Any:
    def call(*positional: Any, **named: Any) -> Any:
        result = method(*positional, **named)
        if name in contract.inner:
            return closed(result, contract, ledger)
        arguments = inspect.signature(method).bind(*positional, **named).arguments
        ledger.drawn += contract.cost(name, arguments, result)
        return result

    return call
