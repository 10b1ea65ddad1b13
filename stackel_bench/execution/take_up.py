"""What an earlier invocation kept of a trial: blocks that are decided, and runs to go on with."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stackel_bench.execution.events import Event, progress
from stackel_bench.execution.executor import Task
from stackel_bench.execution.jobs import Job, free_blocks
from stackel_bench.execution.runs import Piece, Run
from stackel_bench.trials.encoding import NotReadableError
from stackel_bench.trials.programs import decode_piece


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
