"""Words that depend on a number, texts that a terminal may show, short texts of objects with large arrays."""

import dataclasses
import math
import re
import unicodedata
from collections.abc import Mapping
from html import escape
from typing import Any

MOST_NUMBERS, MOST_LETTERS = 8, 200  # of one field


def plural(number: int, word: str) -> str:
    """1 cell, 2 cells."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def told(error: BaseException) -> str:
    """An exception of somebody's code in a few words."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def printable(text: str) -> str:
    """The text without characters that move a terminal's cursor, change its colours or turn text around."""
    return "".join(_visible(letter) for letter in text)


def is_printable(text: str) -> bool:
    """Whether a terminal shows the text as it is."""
    return printable(text) == text


def _visible(letter: str) -> str:
    hidden = unicodedata.category(letter) in ("Cc", "Cf", "Cs") and letter not in "\n\t\u200d"
    return letter.encode("unicode_escape").decode() if hidden else letter


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def number_of(text: str) -> float:
    """The finite decimal number that a text is; not 1_0, digits of other scripts, nan, inf: a ValueError."""
    value = float(text) if _NUMBER.fullmatch(text.strip()) else math.nan
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is no finite decimal number")
    return value


class ShortRepr:
    """A dataclass that shows itself as `Class(field=value, ...)`, in notebooks as a table.

    Each value is shortened; games also say their sizes.
    """

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value}" for name, value in _fields(self).items())
        return f"{type(self).__name__}({fields})"

    def _repr_html_(self) -> str:
        rows = (f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in _fields(self).items())
        return f"<table><caption>{type(self).__name__}</caption>{''.join(rows)}</table>"


def _fields(thing: Any) -> dict[str, str]:
    shown = [field.name for field in dataclasses.fields(thing) if field.repr]
    more = getattr(thing, "sizes", {})
    return {name: _short(getattr(thing, name)) for name in shown} | {
        name: str(size) for name, size in more.items()
    }


def _short(value: Any) -> str:
    import numpy as np  # who asks has imported it; `--help` has not, and need not wait for it

    if isinstance(value, np.ndarray) and value.size > MOST_NUMBERS:
        return f"<array {list(value.shape)}>"
    if isinstance(value, tuple) and len(value) > 1 and not isinstance(value[0], bool | int | float | str):
        return f"<{len(value)} x {type(value[0]).__name__}>"
    if isinstance(value, Mapping):
        text = "{" + ", ".join(f"{key}: {_short(part)}" for key, part in value.items()) + "}"
    else:
        text = np.array_repr(value, precision=6) if isinstance(value, np.ndarray) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"
