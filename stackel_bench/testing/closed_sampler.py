"""A sampler behind a wall: calls are counted, and looks at what is private are noted."""

import inspect
from dataclasses import dataclass, field
from typing import Any

from stackel_bench.families.family import Contract


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
