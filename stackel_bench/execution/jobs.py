"""What is left to do of one trial: its blocks of replicates, cut into named tasks, and what has come back."""

from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stackel_bench.execution.executor import Task
from stackel_bench.execution.runs import Run
from stackel_bench.learners.certified.learner import takes_rounds
from stackel_bench.trials.outcomes import BlockResults
from stackel_bench.trials.pieces import decide_blocks, explore_unit, run_blocks
from stackel_bench.trials.programs import plays
from stackel_bench.trials.rounds import decide_parts, explore_part, raise_again
from stackel_bench.trials.trial import Trial


class Call(NamedTuple):
    """A task: its name, its function, and arguments, some of them results of other tasks."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


@dataclass
class Job:
    """One trial on its way through the scheduler."""

    index: int
    trial: Trial
    fans_out: bool  # one task per unit
    todo: list[range]  # neighbouring blocks that no task has yet
    decided: dict[int, BlockResults] = field(default_factory=dict)  # by first block
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

    def new_run(self, blocks: range, restored: bool = False) -> Run:
        """Some blocks whose units get tasks of their own."""
        return Run(blocks, 0 if self.in_rounds else self.trial.schedule.units, restored)

    def take(self, most: int) -> range:
        """The next blocks to work on, at most so many of them."""
        first = self.todo[0]
        taken = first[:most]
        self.todo[:1] = [first[most:]] if len(first) > most else []
        return taken

    def exploration(self, run: Run, unit: int, game: Task, piece_seconds: float) -> Call:
        """What explores a unit (in a round: follows its orders), or goes on where that was cut."""
        name = self._name("explore", run.blocks, unit)
        limits = (run.checkpoints.get((unit, run.number), b""), piece_seconds)
        if run.round is None:
            return Call(name, explore_unit, (self.assignment, game, unit, run.blocks, *limits))
        orders, before = run.round.orders[unit], run.found.get(unit, b"")
        arguments = (self.assignment, game, unit, run.number, orders, before, *limits)
        return Call(f"{name} round={run.number}", explore_part, arguments)

    def decision(self, run: Run, game: Task) -> Call:
        """What decides blocks whose units are explored."""
        function = decide_parts if self.in_rounds else decide_blocks
        found = (run.found[unit] for unit in sorted(run.found))
        arguments = (self.assignment, game, run.blocks, *found)
        return Call(self._name("decide", run.blocks), function, arguments)

    def failure(self, run: Run, error: Exception) -> Call:
        """What fails with this error in place of the decision."""
        return Call(self._name("decide", run.blocks), raise_again, (error,))

    def whole(self, blocks: range, game: Task) -> Call:
        """What explores all units of some blocks, and decides them."""
        return Call(self._name("run", blocks), run_blocks, (self.assignment, game, blocks))

    @property
    def is_complete(self) -> bool:
        """Whether every block is decided."""
        return sum(map(len, self.decided.values())) == self.assignment.num_blocks

    def results(self) -> BlockResults:
        """Of all blocks, in order."""
        return [result for first in sorted(self.decided) for result in self.decided[first]]

    def _name(self, verb: str, blocks: range, unit: int | None = None) -> str:
        """What Ray shows, such as `explore bandit_rl/taxation a=3 r=0-63`."""
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


def fans_out(trial: Trial, wanted: str | None) -> bool:
    """Whether every unit of a trial gets tasks of its own; always, where a program is played."""
    if plays(trial.game):
        return True
    if wanted is None:
        several = trial.schedule.units > 1 or takes_rounds(trial.learner)
        return several and bool(trial.game.sampler.job_per_unit)
    return wanted == "leader_action"
