"""Two-player games in Gambit's strategic form (.nfg), payoff and outcome format; faults name the line."""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.text import number_of

_TOKEN = re.compile(r'\s+|,|(?P<text>"(?:\\.|[^"\\])*")|(?P<brace>[{}])|(?P<word>[^\s{},"]+)', re.DOTALL)
_FRACTION = re.compile(r"([+-]?[0-9]{1,300})/([0-9]{1,300})")


@dataclass(frozen=True)
class _Token:
    text: str
    line: int


class _Reader:
    """The tokens of a file, taken one after the other."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            source = file.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(str(file), str(error), "a readable .nfg file in UTF-8") from error
        self._tokens: list[_Token] = []
        position, line = 0, 1
        while position < len(source):
            match = _TOKEN.match(source, position)
            if match is None:  # only an opened quotation mark gets here
                raise InputError(f"{file}, line {line}", source[position : position + 40], "a closed text")
            if match.lastgroup is not None:
                self._tokens.append(_Token(match.group(), line))
            line += match.group().count("\n")
            position = match.end()
        self._end = _Token("end of file", line)
        self._next = 0

    @property
    def peek(self) -> _Token:
        return self._tokens[self._next] if self._next < len(self._tokens) else self._end

    def take(self, allowed: str, *texts: str) -> _Token:
        """The next token, which must be one of texts if any are given."""
        token = self.peek
        if token is self._end or (texts and token.text not in texts):
            raise self.fault(token, token.text, allowed)
        self._next += 1
        return token

    def text(self, allowed: str) -> str:
        token = self.take(allowed)
        if not token.text.startswith('"'):
            raise self.fault(token, token.text, allowed)
        return token.text

    def integer(self, allowed: str, least: int, most: int) -> int:
        token = self.take(allowed)
        if not re.fullmatch(r"[0-9]{1,18}", token.text) or not least <= int(token.text) <= most:
            raise self.fault(token, token.text, allowed)
        return int(token.text)

    def number(self) -> float:
        token = self.take("a payoff")
        fraction = _FRACTION.fullmatch(token.text)
        try:
            value = int(fraction[1]) / int(fraction[2]) if fraction else number_of(token.text)
        except (ValueError, ZeroDivisionError, OverflowError):
            value = math.nan
        if not math.isfinite(value):
            raise self.fault(token, token.text, "a payoff: a finite decimal number or a fraction like 1/3")
        return value

    def finish(self) -> None:
        if self.peek is not self._end:
            raise self.fault(self.peek, self.peek.text, "the end of the file")

    def fault(self, token: _Token, found: object, allowed: str) -> InputError:
        return InputError(f"{self._file}, line {token.line}", found, allowed)


def payoffs_of_nfg(file: Path) -> tuple[np.ndarray, np.ndarray]:
    """Payoff matrices [A,B] of player 1 (the leader) and player 2 (the follower)."""
    reader = _Reader(file)
    reader.take("NFG", "NFG")
    reader.take("version 1", "1")
    reader.take("R or D", "R", "D")
    reader.text("the title in quotation marks")
    _read_players(reader)
    rows, columns = _read_sizes(reader)
    if reader.peek.text.startswith('"'):
        reader.text("a comment")
    read = _read_outcomes if reader.peek.text == "{" else _read_payoffs
    # The first player's strategy runs fastest.
    payoffs = read(reader, rows * columns).reshape(columns, rows, 2)
    reader.finish()
    return payoffs[:, :, 0].T, payoffs[:, :, 1].T


def _read_players(reader: _Reader) -> None:
    start = reader.take("{ and the players' names", "{")
    names = 0
    while reader.peek.text != "}":
        reader.text("a player's name in quotation marks")
        names += 1
    reader.take("}", "}")
    if names != 2:
        raise reader.fault(start, f"{names} players", "2 players")


def _read_sizes(reader: _Reader) -> tuple[int, int]:
    """Numbers of strategies: { 2 3 } or { { "up" "down" } { "a" "b" "c" } }."""
    start = reader.take("{ and the strategies", "{")
    sizes: list[int] = []
    while reader.peek.text != "}":
        if reader.peek.text == "{":
            brace = reader.take("{")
            names = 0
            while reader.peek.text != "}":
                reader.text("a strategy's name in quotation marks")
                names += 1
            reader.take("}", "}")
            if names == 0:
                raise reader.fault(brace, "no strategies", "at least one strategy")
            sizes.append(names)
        else:
            sizes.append(reader.integer("a number of strategies >= 1", least=1, most=10**9))
    reader.take("}", "}")
    if len(sizes) != 2:
        raise reader.fault(start, f"strategies of {len(sizes)} players", "strategies of 2 players")
    return sizes[0], sizes[1]


def _read_payoffs(reader: _Reader, pairs: int) -> np.ndarray:
    return np.array([reader.number() for _ in range(2 * pairs)])


def _read_outcomes(reader: _Reader, pairs: int) -> np.ndarray:
    """Payoffs [pair, player] through a list of outcomes; outcome 0 pays nothing."""
    outcomes = [(0.0, 0.0)]
    reader.take("{ and the outcomes", "{")
    while reader.peek.text != "}":
        reader.take("{ and an outcome", "{")
        if reader.peek.text.startswith('"'):
            reader.text("an outcome's name")
        outcomes.append((reader.number(), reader.number()))
        reader.take("} after two payoffs", "}")
    reader.take("}", "}")
    allowed = f"the number of an outcome, 0 to {len(outcomes) - 1}"
    chosen = [reader.integer(allowed, least=0, most=len(outcomes) - 1) for _ in range(pairs)]
    return np.array(outcomes)[chosen]
