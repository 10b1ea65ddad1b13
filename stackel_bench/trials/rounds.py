"""Runs in rounds as tasks: one for each round and leader action, and a decision at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from stackel_bench.games.game import Game
from stackel_bench.models import TieBreaking
from stackel_bench.simulation.recording import Checkpoint, Recorder
from stackel_bench.trials.encoding import decode, encode
from stackel_bench.trials.pieces import decide_findings
from stackel_bench.trials.programs import decode_piece, played, plays
from stackel_bench.trials.trial import Assignment

ROUND = "round"  # key of a checkpoint's memory: the round that was cut
RunKey = tuple[int, TieBreaking]  # a replicate and a tie-breaking have a run of their own


@dataclass(frozen=True, eq=False)
class Round:
    """What some replicates do next: orders by part; a round without orders is the end."""

    number: int
    orders: Mapping[int, Mapping[RunKey, Any]]
    parts: int  # how many there are; the first round has orders for all


@dataclass(frozen=True, eq=False)
class Part:
    """What is found about one part up to a round; runs are encoded, since only its next task needs them."""

    number: int
    reports: Mapping[RunKey, Any]
    runs: bytes
    played: Checkpoint = field(default_factory=Checkpoint)  # of a program: samples and seconds so far


def next_round(
    assignment: Assignment, game: Game, blocks: range, before: int, parts: Sequence[Part]
) -> Round:
    """The round after this one, from what is found about all parts (nothing at first)."""
    orders: dict[int, dict[RunKey, Any]] = {}
    learner, schedule = assignment.learner, assignment.schedule
    for replicate in assignment.replicates_in(blocks):
        for tie in assignment.tie_breakings:
            reports = [part.reports[replicate, tie] for part in parts]
            found = learner.orders(game.sampler, schedule, reports, tie)  # type: ignore[attr-defined]
            for part, order in found.items():
                orders.setdefault(part, {})[replicate, tie] = order
    return Round(before + 1, orders, len(parts) or len(orders))


def explore_part(
    assignment: Assignment,
    model: Any,
    part: int,
    number: int,
    orders: Mapping[RunKey, Any],
    before: bytes,
    checkpoint: bytes = b"",
    seconds: float | None = None,
) -> bytes:
    """What is found about a part after this round (an encoded Part), given what was found before it (or b"").

    Where a program is played, a run may be cut: see trials.pieces.explore_unit.
    """
    known = decode(before, assignment.packages) if before else Part(0, {}, encode({}))
    runs, reports = decode(known.runs, assignment.packages), dict(known.reports)
    saved = decode_piece(checkpoint, assignment.packages) if checkpoint else known.played

    def explored(sampler: Any, recorder: Recorder) -> Part:
        recorder.memory[ROUND] = number
        for (replicate, tie), order in orders.items():
            block, position = divmod(replicate, assignment.block_size)
            key, run = (*assignment.key(block), position), runs.get((replicate, tie))
            learner: Any = assignment.learner
            run = learner.explore_part(sampler, assignment.schedule, part, key, tie, order, run)
            runs[replicate, tie], reports[replicate, tie] = run, run.report
        return Part(number, reports, encode(runs), replace(recorder.saved(), answers=()))

    if not plays(model):
        return encode(explored(model.sampler, Recorder()))
    return played(model, saved, seconds, assignment.schedule.budget.delta, explored)


def raise_again(error: Exception) -> None:
    """Raise what making orders has raised, as a task's failure."""
    raise error


def decide_parts(assignment: Assignment, game: Game, blocks: range, *parts: bytes) -> bytes:
    """Encoded results of some blocks from what is found about all parts."""
    found = [decode(decode(part, assignment.packages).runs, assignment.packages) for part in parts]
    learner: Any = assignment.learner

    def ended(replicate: int) -> Any:
        ties = assignment.tie_breakings
        return {tie: learner.end([runs[replicate, tie] for runs in found], tie) for tie in ties}

    findings = [[ended(r) for r in assignment.replicates_in(range(block, block + 1))] for block in blocks]
    return decide_findings(assignment, game, blocks, [findings])
