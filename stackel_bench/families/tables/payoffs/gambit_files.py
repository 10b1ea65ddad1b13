"""Two-player games in Gambit's strategic form (.nfg), payoff and outcome format; faults name the line."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.text import number_of

_TOKEN = re.compile(r'\s+|,|(?P<token>"(?:\\.|[^"\\])*"|[{}]|[^\s{},"]+)', re.DOTALL)
_FRACTION = re.compile(r"([+-]?[0-9]{1,300})/([0-9]{1,300})")
_END = "end of file"
T = TypeVar("T")


class _Reader:
    """The tokens of a file, taken one after the other."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            source = file.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(str(file), str(error), "a readable .nfg file in UTF-8") from error
        self._tokens: list[tuple[str, int]] = []
        self._next, position, line = 0, 0, 1
        while position < len(source):
            match = _TOKEN.match(source, position)
            if match is None:  # only an opened quotation mark gets here
                raise self.fault(source[position : position + 40], "a closed text", line)
            if match["token"]:
                self._tokens.append((match["token"], line))
            line += match.group().count("\n")
            position = match.end()
        self._tokens.append((_END, line))

    @property
    def peek(self) -> str:
        return self._tokens[self._next][0]

    @property
    def line(self) -> int:
        return self._tokens[self._next][1]

    def take(self, allowed: str, *texts: str) -> str:
        """The next token, which must be one of texts if any are given."""
        token = self.peek
        if token == _END or (texts and token not in texts):
            raise self.fault(token, allowed)
        self._next += 1
        return token

    def text(self, allowed: str) -> str:
        if not self.peek.startswith('"'):
            raise self.fault(self.peek, allowed)
        return self.take(allowed)

    def integer(self, allowed: str, least: int, most: int) -> int:
        if not re.fullmatch(r"[0-9]{1,18}", self.peek) or not least <= int(self.peek) <= most:
            raise self.fault(self.peek, allowed)
        return int(self.take(allowed))

    def number(self) -> float:
        line, token = self.line, self.take("a payoff")
        fraction = _FRACTION.fullmatch(token)
        try:
            value = int(fraction[1]) / int(fraction[2]) if fraction else number_of(token)
        except (ValueError, ZeroDivisionError, OverflowError):
            value = math.nan
        if not math.isfinite(value):
            raise self.fault(token, "a payoff: a finite decimal number or a fraction like 1/3", line)
        return value

    def braced(self, what: str, item: Callable[[], T]) -> list[T]:
        """The items between braces."""
        self.take("{ and " + what, "{")
        found = []
        while self.peek != "}":
            found.append(item())
        self.take("}", "}")
        return found

    def fault(self, found: object, allowed: str, line: int | None = None) -> InputError:
        return InputError(f"{self._file}, line {line or self.line}", found, allowed)


def payoffs_of_nfg(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Payoff matrices [A,B] of player 1 (the leader) and player 2 (the follower)."""
    reader = _Reader(file)
    for allowed, *texts in (("NFG", "NFG"), ("version 1", "1"), ("R or D", "R", "D")):
        reader.take(allowed, *texts)
    reader.text("the title in quotation marks")
    line = reader.line
    players = reader.braced("the players' names", lambda: reader.text("a player's name in quotation marks"))
    if len(players) != 2:
        raise reader.fault(f"{len(players)} players", "2 players", line)
    line = reader.line
    sizes = reader.braced("the strategies", lambda: _strategies(reader))
    if len(sizes) != 2:
        raise reader.fault(f"strategies of {len(sizes)} players", "strategies of 2 players", line)
    if reader.peek.startswith('"'):
        reader.text("a comment")
    read = _outcomes if reader.peek == "{" else _payoffs
    # The first player's strategy runs fastest.
    payoffs = np.array(read(reader, sizes[0] * sizes[1])).reshape(sizes[1], sizes[0], 2)
    if reader.peek != _END:
        raise reader.fault(reader.peek, "the end of the file")
    return payoffs[:, :, 0].T, payoffs[:, :, 1].T


def _strategies(reader: _Reader) -> int:
    """A player's number of strategies: 2, or { "up" "down" }."""
    if reader.peek != "{":
        return reader.integer("a number of strategies >= 1", least=1, most=10**9)
    line = reader.line
    names = reader.braced("names", lambda: reader.text("a strategy's name in quotation marks"))
    if not names:
        raise reader.fault("no strategies", "at least one strategy", line)
    return len(names)


def _payoffs(reader: _Reader, pairs: int) -> list[tuple[float, float]]:
    return [(reader.number(), reader.number()) for _ in range(pairs)]


def _outcomes(reader: _Reader, pairs: int) -> list[tuple[float, float]]:
    """Payoffs of each pair through a list of outcomes; outcome 0 pays nothing."""
    outcomes = [(0.0, 0.0), *reader.braced("the outcomes", lambda: _outcome(reader))]
    allowed = f"the number of an outcome, 0 to {len(outcomes) - 1}"
    return [outcomes[reader.integer(allowed, least=0, most=len(outcomes) - 1)] for _ in range(pairs)]


def _outcome(reader: _Reader) -> tuple[float, float]:
    reader.take("{ and an outcome", "{")
    if reader.peek.startswith('"'):
        reader.text("an outcome's name")
    payoffs = reader.number(), reader.number()
    reader.take("} after two payoffs", "}")
    return payoffs
