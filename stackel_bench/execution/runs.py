"""Some blocks of a trial: the pieces that are kept of them, and how far the exploration of their units is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from stackel_bench.execution.executor import Task
from stackel_bench.simulation.recording import Checkpoint
from stackel_bench.trials.rounds import ROUND, Part, Round


@dataclass(frozen=True)
class Piece:
    """Some blocks of a trial: explored for one unit, or (unit is None) decided for all of them.

    Of a run in rounds a unit is a part; `orders` are those of its last round, `cut` is where a part's task
    was cut.
    """

    unit: int | None
    blocks: range
    kind: str = "unit"

    @property
    def is_decision(self) -> bool:
        """Whether its blocks are decided."""
        return self.unit is None and self.kind == "unit"

    @property
    def name(self) -> str:
        """A name that says what it is; `parse` reads it."""
        what = f"{self.kind}-{self.unit}"
        if self.unit is None:
            what = "decided" if self.is_decision else self.kind
        return f"{what}.{self.blocks.start}-{self.blocks.stop}"

    @classmethod
    def parse(cls, name: str) -> Piece:
        """The piece of this name; a ValueError for anything else."""
        what, _, blocks = name.partition(".")
        first, _, stop = blocks.partition("-")
        kind, _, number = what.partition("-")
        unit = None if kind in ("decided", "orders") else int(number)
        piece = cls(unit, range(int(first), int(stop)), "unit" if kind == "decided" else kind)
        if piece.name != name or not piece.blocks or kind not in ("decided", "orders", "unit", "cut"):
            raise ValueError(f"{name!r} is no name of a piece")
        return piece


@dataclass
class Run:
    """Neighbouring blocks whose units are explored by tasks of their own, then decided together.

    Units that wait for each other are parts, and are explored round by round.
    """

    blocks: range
    units: int  # that do not wait for each other; 0 where there are rounds
    restored: bool = False  # from what an earlier invocation kept, so that seconds are not all of them
    round: Round | None = None  # in work
    parts: dict[int, Part] = field(default_factory=dict)  # what is found, where there are rounds
    found: dict[int, Task] = field(default_factory=dict)  # what is found, encoded
    checkpoints: dict[tuple[int, int], Task] = field(default_factory=dict)  # by unit and round: tasks cut
    seconds: float = 0.0  # of computing so far

    def take(self, piece: Piece, value: Any, content: Task) -> None:
        """A piece of it, and the same encoded."""
        if piece.unit is None:
            self.round = value
        elif isinstance(value, Checkpoint):
            self.checkpoints[piece.unit, value.memory.get(ROUND, 0)] = content
        else:
            self.found[piece.unit] = content
            if isinstance(value, Part):
                self.parts[piece.unit] = value
            self.checkpoints.pop((piece.unit, getattr(value, "number", 0)), None)

    @property
    def number(self) -> int:
        """Of the round in work; 0 before the first one, and where there are none."""
        return 0 if self.round is None else self.round.number

    @property
    def missing(self) -> list[int]:
        """Units that the decision, or the round in work, still waits for."""
        if self.round is None:
            return [unit for unit in range(self.units) if unit not in self.found]
        done = {unit for unit, part in self.parts.items() if part.number == self.number}
        return [unit for unit in self.round.orders if unit not in done]

    @property
    def is_whole(self) -> bool:
        """Whether it can go on: of runs in rounds all parts of the rounds before this one are there."""
        if self.units:
            return self.round is None and not self.parts
        return self.round is not None and (self.number == 1 or len(self.parts) == self.round.parts)
