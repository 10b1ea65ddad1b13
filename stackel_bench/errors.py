"""The error that a user's mistake raises: one sentence with field, value found, values allowed."""

from __future__ import annotations


class InputError(ValueError):
    """A user's mistake, found before any work starts; the command line prints it and exits with 2."""

    def __init__(self, field: str, found: object, allowed: str) -> None:
        self.field = field
        self.found = found
        self.allowed = allowed
        super().__init__(f"{field}: found {_shorten(found)}, allowed: {allowed}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, object, str]]:
        # The default would call the class with the finished message alone.
        return type(self), (self.field, _shorten(self.found), self.allowed)


class _Shortened(str):
    """Text that has been shortened already, so that it is not quoted twice."""

    __slots__ = ()


def _shorten(value: object, limit: int = 200) -> str:
    if isinstance(value, _Shortened):
        return value
    text = repr(value)
    return _Shortened(text if len(text) <= limit else text[: limit - 1] + "…")
