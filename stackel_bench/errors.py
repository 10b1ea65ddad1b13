"""The errors that a user's mistake raises: one sentence each, all of them an InputError."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable
from pathlib import Path

# What a disk, not a mistake in this package, may answer at any time.
STORAGE_ERRORS = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG),
    *(errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.ESTALE),
    *(errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP),
    *(errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS),  # a file system without locks
)


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
        self.names = sorted(known)
        own = key.rpartition(".")[2]
        here, there = ({name.rpartition(".")[2]: name for name in them} for them in (self.names, elsewhere))
        close = [there[own]] if own in there else []
        close += [each[w] for each in (here, there) for w in difflib.get_close_matches(own, each, n=1)]
        hint = f" (did you mean {close[0]}?)" if close else ""
        allowed = f"known here: {', '.join(self.names)}" if self.names else "nothing can be set here"
        super().__init__(key, None, allowed, f"unknown key {key}{hint}; {allowed}")


class UnknownNameError(InputError):
    """A name that is none of the known ones; the closest one comes first, an advice last."""

    def __init__(self, field: str, name: object, known: Iterable[str], advice: str = "") -> None:
        names = list(known)
        allowed = f"one of {', '.join(names)}{advice}"
        sentence = f"unknown {field} {_shorten(name)}{did_you_mean(str(name), names)}; choose {allowed}"
        super().__init__(field, name, allowed, sentence)


class MissingValueError(InputError):
    """A key that needs a value and has none."""

    def __init__(self, key: str) -> None:
        super().__init__(key, None, "a value", f"{key} needs a value: it has no default")


class UnavailableError(InputError):
    """Something outside that cannot be read, written or reached: what, why, and what to do about it."""

    def __init__(self, field: str, what: str, why: object, remedy: str = "") -> None:
        sentence = f"cannot {what}: {why}" + (f". {remedy}" if remedy else "")
        super().__init__(field, what, remedy, sentence)


class NoEffectError(InputError):
    """A key that exists, and that changes nothing here."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(key, None, reason, f"{key} has no effect: {reason}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ " (did you mean ...?)" with the closest known word, or nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def expanded(field: str, path: str | Path) -> Path:
    """The path with ~ and ~USER replaced, or an InputError where there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise UnavailableError(field, f"use the path {str(path)!r}", error) from error


class _Shortened(str):
    """Text that has been shortened already, so that it is not quoted twice."""

    __slots__ = ()


def _shorten(value: object, limit: int = 200) -> str:
    if isinstance(value, _Shortened):
        return value
    text = repr(value)
    return _Shortened(text if len(text) <= limit else text[: limit - 1] + "…")
