"""What is left to do of one trial: its blocks of replicates, cut into named tasks, and what has come back."""

from __future__ import annotations

import time
from collections.abc import Set
from dataclasses import dataclass, field

from stackel_bench.execution.executor import Task
from stackel_bench.trials.pieces import BlockResults
from stackel_bench.trials.trial import Trial


@dataclass(frozen=True)
class Piece:
    """Some blocks of a trial: explored for one unit, or (unit is None) decided for all of them."""

    unit: int | None
    blocks: range

    @property
    def name(self) -> str:
        """A name that says what it is; `parse` reads it."""
        what = "decided" if self.unit is None else f"unit-{self.unit}"
        return f"{what}.{self.blocks.start}-{self.blocks.stop}"

    @classmethod
    def parse(cls, name: str) -> Piece:
        """The piece of this name; a ValueError for anything else."""
        what, _, blocks = name.partition(".")
        first, _, stop = blocks.partition("-")
        unit = None if what == "decided" else int(what.removeprefix("unit-"))
        piece = cls(unit, range(int(first), int(stop)))
        if piece.name != name or not piece.blocks:
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
class Job:
    """One trial on its way through the scheduler."""

    index: int
    trial: Trial
    fans_out: bool  # one task per unit
    todo: list[range]  # neighbouring blocks that no task has yet
    decided: dict[int, BlockResults] = field(default_factory=dict)  # by first block
    models: dict[int, Task] = field(default_factory=dict)  # what exploring a unit needs, stored once
    busy_seconds: float = 0.0
    started: float = field(default_factory=time.perf_counter)
    failed: bool = False

    def __post_init__(self) -> None:
        self.assignment = self.trial.assignment

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
        letter = "a" if self.trial.schedule.units == self.trial.game.sizes["num_leader_actions"] else "unit"
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
