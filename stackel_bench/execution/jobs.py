"""What is left to do of one trial: its blocks of replicates, cut into named tasks, and what has come back."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from typing import Any

from stackel_bench.execution.executor import Task
from stackel_bench.learners.certified.rounds import takes_rounds
from stackel_bench.trials.pieces import BlockResults
from stackel_bench.trials.rounds import ROUND, Part, Round
from stackel_bench.trials.trial import Trial


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
    def name(self) -> str:
        """A name that says what it is; `parse` reads it."""
        what = f"{self.kind}-{self.unit}"
        if self.unit is None:
            what = "decided" if self.kind == "unit" else self.kind
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
    """Neighbouring blocks whose units are explored by tasks of their own, then decided together."""

    blocks: range
    findings: dict[int, Task | None]  # by unit

    @property
    def is_explored(self) -> bool:
        """Whether the findings of all units are there."""
        return all(finding is not None for finding in self.findings.values())


@dataclass
class RoundsRun:
    """Neighbouring blocks that are explored round by round."""

    blocks: range
    round: Round | None = None  # in work
    parts: dict[int, Part] = field(default_factory=dict)
    contents: dict[int, Task] = field(default_factory=dict)  # the same, encoded
    checkpoints: dict[tuple[int, int], Task] = field(default_factory=dict)  # by part and round: tasks cut
    seconds: float = 0.0  # of computing so far
    restored: bool = False  # from what an earlier invocation kept, so that seconds are not all of them

    def take(self, piece: Piece, value: Any, content: Task) -> None:
        """A piece of it, and the same encoded."""
        if piece.unit is None:
            self.round = value
        elif piece.kind == "cut":
            self.checkpoints[piece.unit, value.memory[ROUND]] = content
        else:
            self.parts[piece.unit], self.contents[piece.unit] = value, content

    @property
    def number(self) -> int:
        """Of the round in work; 0 before the first one."""
        return 0 if self.round is None else self.round.number

    @property
    def missing(self) -> list[int]:
        """Parts that the round in work still waits for."""
        done = {index for index, part in self.parts.items() if part.number == self.number}
        return [] if self.round is None else [index for index in self.round.orders if index not in done]

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing of what was kept: all parts of the rounds before this one."""
        return self.round is not None and (self.number == 1 or len(self.parts) == self.round.parts)


@dataclass
class Job:
    """One trial on its way through the scheduler."""

    index: int
    trial: Trial
    fans_out: bool  # one task per unit
    todo: list[range]  # neighbouring blocks that no task has yet
    decided: dict[int, BlockResults] = field(default_factory=dict)  # by first block
    checkpoints: dict[tuple[int, int], Task] = field(default_factory=dict)  # by unit and block: runs cut
    busy_seconds: float = 0.0
    started: float = 0.0  # by the executor's clock
    failed: bool = False

    def __post_init__(self) -> None:
        self.assignment = self.trial.assignment

    @property
    def in_rounds(self) -> bool:
        """Whether its parts are explored by tasks of their own, round by round."""
        return self.fans_out and takes_rounds(self.trial.learner)

    @property
    def scheduled_per_block(self) -> float:
        """Seconds that one unit (all units, if they stay together) is scheduled to take for one block."""
        units = 1 if self.fans_out else self.trial.schedule.units
        return self.trial.schedule.seconds_per_unit * self.assignment.block_size * units

    @property
    def blocks_left(self) -> int:
        """Blocks that no task has yet."""
        return sum(map(len, self.todo))

    def take(self, most: int) -> range:
        """The next blocks to work on, at most so many of them."""
        first = self.todo[0]
        taken = first[:most]
        self.todo[:1] = [first[most:]] if len(first) > most else []
        return taken

    @property
    def is_complete(self) -> bool:
        """Whether every block is decided."""
        return sum(map(len, self.decided.values())) == self.assignment.num_blocks

    def results(self) -> BlockResults:
        """Of all blocks, in order."""
        return [result for first in sorted(self.decided) for result in self.decided[first]]

    def task_name(self, verb: str, blocks: range, unit: int | None = None) -> str:
        """The name that Ray shows, such as `explore bandit_rl/taxation a=3 r=0-63`."""
        replicates = self.assignment.replicates_in(blocks)
        actions = self.trial.schedule.units == self.trial.game.sizes["num_leader_actions"]
        letter = "a" if actions or self.in_rounds else "unit"
        where = "" if unit is None else f" {letter}={unit}"
        return f"{verb} {self.trial.game.name}{where} r={replicates.start}-{replicates.stop - 1}"


def free_blocks(total: int, taken: Set[int]) -> list[range]:
    """What is left of range(total) once some blocks are taken, as runs of neighbours."""
    runs: list[range] = []
    for block in (block for block in range(total) if block not in taken):
        if runs and runs[-1].stop == block:
            runs[-1] = range(runs[-1].start, block + 1)
        else:
            runs.append(range(block, block + 1))
    return runs
