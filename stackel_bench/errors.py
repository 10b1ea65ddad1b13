"""The errors that a user's mistake raises: one sentence each, all of them an InputError."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(ValueError):
    """A user's mistake, found before any work starts; the command line prints it and exits with 2.

    This class itself is for a value that is not allowed: where it was found, what it was, what is allowed.
    """

    def __init__(self, field: str, found: object, allowed: str, sentence: str = "") -> None:
        self.field = field
        self.found = found
        self.allowed = allowed
        self.sentence = sentence
        super().__init__(sentence or f"{field}: found {_shorten(found)}, allowed: {allowed}")

    def __reduce__(self) -> tuple[type[InputError], tuple[str, object, str, str]]:
        # The default would call the class with the finished message alone.
        return InputError, (self.field, _shorten(self.found), self.allowed, self.sentence)


class UnknownKeyError(InputError):
    """A key that does not exist here; the closest one that does, here or elsewhere, is named first."""

    def __init__(self, key: str, known: Iterable[str], elsewhere: Iterable[str] = ()) -> None:
        names = sorted(known)
        own = key.rpartition(".")[2]
        by_last_word = {name.rpartition(".")[2]: name for name in names}
        inside = [name for name in elsewhere if name.rpartition(".")[2] == own]
        close = inside or [by_last_word[w] for w in difflib.get_close_matches(own, by_last_word, n=1)]
        hint = f" (did you mean {close[0]}?)" if close else ""
        allowed = f"known here: {', '.join(names)}" if names else "nothing can be set here"
        super().__init__(key, None, allowed, f"unknown key {key}{hint}; {allowed}")


class NoEffectError(InputError):
    """A key that exists, and that changes nothing here."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(key, None, reason, f"{key} has no effect: {reason}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ " (did you mean ...?)" with the closest known word, or nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


class _Shortened(str):
    """Text that has been shortened already, so that it is not quoted twice."""

    __slots__ = ()


def _shorten(value: object, limit: int = 200) -> str:
    if isinstance(value, _Shortened):
        return value
    text = repr(value)
    return _Shortened(text if len(text) <= limit else text[: limit - 1] + "…")
