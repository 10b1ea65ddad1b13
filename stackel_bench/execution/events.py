"""What happens while trials run, who keeps what has come back, and what an earlier invocation kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from stackel_bench.execution.executor import Task
from stackel_bench.execution.jobs import Job, free_blocks
from stackel_bench.execution.runs import Piece, Run
from stackel_bench.simulation.recording import Checkpoint
from stackel_bench.trials.encoding import NotReadableError
from stackel_bench.trials.programs import RunSoFar, decode_piece
from stackel_bench.trials.rounds import Part, Round
from stackel_bench.trials.trial import Failure, Outcomes


class Keeper(Protocol):
    """Where finished pieces are kept until their trial is complete; pieces are named by Piece.name."""

    def keep(self, trial: int, piece: str, content: bytes) -> None:
        """Make the piece durable."""

    def kept(self, trial: int) -> dict[str, bytes]:
        """Pieces of an earlier invocation."""


@dataclass(frozen=True)
class Progress:
    """A piece of a trial has come back, or was found where an earlier invocation had kept it."""

    trial: int
    piece: Piece
    restored: bool = False
    run: RunSoFar | None = None  # a long one that was cut and goes on


@dataclass(frozen=True)
class Result:
    """A trial is complete, or has failed."""

    trial: int
    outcomes: Outcomes | Failure
    busy_seconds: float
    wall_seconds: float  # from the moment its first task was cut to its end


Event = Progress | Result


def progress(job: Job, piece: Piece, value: Any, restored: bool = False) -> Iterator[Progress]:
    """What to tell of a piece that is there: how far a program's run is, or what is explored or decided.

    Rounds of simulated samples are over too soon to be told.
    """
    played = value.played if isinstance(value, Part) else value
    if isinstance(played, Checkpoint) and (played.samples or not job.in_rounds):
        assert piece.unit is not None
        planned = None if job.in_rounds else job.trial.schedule.planned_per_unit
        replicate = job.assignment.replicates_in(piece.blocks).start
        so_far = (played.samples, played.certificates, played.seconds)
        run = RunSoFar(piece.unit, replicate, *so_far, planned, played.share)
        yield Progress(job.index, piece, restored, run)
    elif not isinstance(value, Part | Round | Checkpoint):
        yield Progress(job.index, piece, restored)


def take_up(
    job: Job, kept: Mapping[str, bytes], put: Callable[[bytes], Task]
) -> tuple[list[Run], list[Event], int]:
    """Runs to go on with, what to tell, and the number of pieces.

    The job learns what is decided and what is left to do. What is damaged, or does not fit together, is done
    again.
    """
    runs: dict[range, Run] = {}
    events: list[Event] = []
    taken: set[int] = set()
    pieces = 0
    for name, content in kept.items():
        try:
            piece, value = Piece.parse(name), decode_piece(content, job.assignment.packages)
        except (NotReadableError, ValueError):
            continue
        pieces += 1
        events += progress(job, piece, value, restored=True)
        if not piece.is_decision:
            run = runs.setdefault(piece.blocks, job.new_run(piece.blocks, restored=True))
            run.take(piece, value, put(content))
        elif all(tie in result for tie in job.trial.tie_breakings for result in value):
            job.decided[piece.blocks.start] = value
            taken.update(piece.blocks)
    going_on = []
    for blocks, run in runs.items():
        if job.fans_out and run.is_whole and taken.isdisjoint(blocks):
            taken.update(blocks)
            going_on.append(run)
    job.todo = free_blocks(job.assignment.num_blocks, taken)
    return going_on, events, pieces
