"""Words that depend on a number, and short texts of objects that hold large arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

MOST_NUMBERS, MOST_LETTERS = 8, 200  # of one field


def plural(number: int, word: str) -> str:
    """1 cell, 2 cells."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def short_repr(thing: Any) -> str:
    """`Class(field=value, ...)` of a dataclass, each value shortened; games also say their sizes."""
    fields = ", ".join(f"{name}={value}" for name, value in _fields(thing).items())
    return f"{type(thing).__name__}({fields})"


def short_html(thing: Any) -> str:
    """The same as a small table, for notebooks."""
    rows = (f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in _fields(thing).items())
    return f"<table><caption>{type(thing).__name__}</caption>{''.join(rows)}</table>"


def _fields(thing: Any) -> dict[str, str]:
    shown = [field.name for field in dataclasses.fields(thing) if field.repr]
    more = getattr(thing, "sizes", {})
    return {name: _short(getattr(thing, name)) for name in shown} | {
        name: str(size) for name, size in more.items()
    }


def _short(value: Any) -> str:
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
