"""What exact and drawn claims compute: every public function of these modules, by its name."""

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ("functions_of",)


def functions_of(*modules: ModuleType) -> dict[str, Callable[..., Any]]:
    """The public functions that these modules define, by name."""
    return {
        name: function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }
