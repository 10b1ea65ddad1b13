"""The tasks that a trial is cut into, as plain functions: explore one unit, decide and judge, or both."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from stackel_bench.errors import InputError
from stackel_bench.evaluation.oracle import Oracle, require_commitment
from stackel_bench.evaluation.summary import decision_columns, played_columns, record_columns
from stackel_bench.evaluation.verdict import judge_all
from stackel_bench.families.oracles import oracle_if_known
from stackel_bench.families.registry import family_of
from stackel_bench.games.game import Game
from stackel_bench.learners.blocks import decide_block, explore_block
from stackel_bench.learners.decision import require_playable
from stackel_bench.models import TieBreaking
from stackel_bench.simulation.recording import Checkpoint
from stackel_bench.trials.encoding import decode, encode
from stackel_bench.trials.outcomes import BlockResult, action_columns, averaged, outcomes
from stackel_bench.trials.programs import decode_piece, played, plays, unfinished
from stackel_bench.trials.trial import Assignment, Failure, Outcomes

_ORACLES: dict[str, Oracle | None] = {}  # by identity of their games
_MOST_ORACLES = 32


def explore_unit(
    assignment: Assignment,
    model: Any,
    unit: int,
    blocks: range,
    checkpoint: bytes = b"",
    seconds: float | None = None,
) -> bytes:
    """Encoded findings about one unit for some blocks; model is the game, or its part for this unit.

    Where a program is played, or rungs are runs of their own, one block goes on from its checkpoint (none:
    from the start); once it has had its seconds, the checkpoint to go on from comes back in place of findings
    (`is_checkpoint`).
    """
    saved = decode_piece(checkpoint, assignment.packages) if checkpoint else Checkpoint()
    if not plays(model):
        if len(blocks) == assignment.block_size == 1 and getattr(assignment.learner, "explores_rungs", False):
            return _rung_by_rung(assignment, model, unit, blocks.start, saved, seconds)
        return encode([_finding(assignment, model, unit, block) for block in blocks])
    (block,) = blocks

    def explored(sampler: Any, _: Any) -> list[Any]:
        recorded = SimpleNamespace(family=model.family, sampler=sampler)
        return [_finding(assignment, recorded, unit, block)]

    return played(model, saved, seconds, assignment.schedule.budget.delta, explored)


def _rung_by_rung(
    assignment: Assignment, model: Any, unit: int, block: int, saved: Checkpoint, seconds: float | None
) -> bytes:
    """The findings of a block of one replicate; after a rung that ends later than that, a checkpoint."""
    learner: Any = assignment.learner
    schedule, key, began = assignment.schedule, (*assignment.key(block), 0), time.perf_counter()
    found, rungs = list(saved.answers), len(schedule.samples)
    while len(found) < rungs:
        rung = learner.explore_rung(model.sampler, schedule, unit, key, len(found))
        found += _diagnosed(assignment, model, unit, [rung])
        spent = time.perf_counter() - began
        if len(found) < rungs and seconds is not None and spent >= seconds:
            samples = {unit: sum(schedule.counts[: len(found)])}
            share = len(found) / rungs
            return unfinished(Checkpoint(tuple(found), None, samples, saved.seconds + spent, share=share))
    return encode([[found]])


def decide_blocks(assignment: Assignment, game: Game, blocks: range, *findings: bytes) -> bytes:
    """Encoded results of some blocks from the encoded findings of all units, in order."""
    return decide_findings(
        assignment, game, blocks, [decode(finding, assignment.packages) for finding in findings]
    )


def decide_findings(
    assignment: Assignment, game: Game, blocks: range, by_unit: Sequence[Sequence[Any]]
) -> bytes:
    """Encoded results of some blocks from findings by unit and block."""
    results = [
        _decided(assignment, game, [unit[position] for unit in by_unit], block)
        for position, block in enumerate(blocks)
    ]
    return encode(results)


def run_blocks(assignment: Assignment, game: Game, blocks: range) -> bytes:
    """Encoded results of some blocks, explored and decided here."""
    return encode([_run(assignment, game, block) for block in blocks])


def run_whole_trials(
    assignments: Sequence[Assignment], *games: Game
) -> list[tuple[Outcomes | Failure, float]]:
    """Whole small trials, each with its seconds; one that raises does not harm the others."""
    found: list[tuple[Outcomes | Failure, float]] = []
    for assignment, game in zip(assignments, games, strict=True):
        start = time.perf_counter()
        result: Outcomes | Failure
        try:
            result = whole_trial(assignment, game)
        except (Exception, SystemExit) as error:  # reported as this trial's failure, with its traceback
            if hasattr(error, "ray_terminate_msg"):
                raise  # the worker is told to stop, which is nobody's failure
            result = Failure.of(error)
        found.append((result, time.perf_counter() - start))
    return found


def whole_trial(assignment: Assignment, game: Game) -> Outcomes:
    """A trial from beginning to end, in this process."""
    return outcomes(assignment, [_run(assignment, game, block) for block in range(assignment.num_blocks)])


def _run(assignment: Assignment, game: Game, block: int) -> dict[TieBreaking, BlockResult]:
    units = range(assignment.schedule.units)
    return _decided(assignment, game, [_finding(assignment, game, unit, block) for unit in units], block)


def _finding(assignment: Assignment, model: Any, unit: int, block: int) -> Any:
    """One unit's finding for the replicates of a block, with what the truth says of it, if anything."""
    replicates = len(assignment.replicates_in(range(block, block + 1)))
    schedule, key = assignment.schedule, assignment.key(block)
    found = explore_block(assignment.learner, model.sampler, schedule, unit, key, replicates)
    if family_of(model.family).diagnose is None:
        return found
    return [_diagnosed(assignment, model, unit, found[position]) for position in range(replicates)]


def _diagnosed(assignment: Assignment, model: Any, unit: int, finding: Any) -> Any:
    """One replicate's finding with what the truth says of it, if anything."""
    diagnose = family_of(model.family).diagnose
    return finding if diagnose is None else diagnose(model, unit, finding, assignment.schedule.budget.epsilon)


def _decided(
    assignment: Assignment, game: Game, findings: Sequence[Any], block: int
) -> dict[TieBreaking, BlockResult]:
    """A block's decisions, judged on the truth, or played out where nobody knows it."""
    schedule, oracle, key = assignment.schedule, cached_oracle(game), assignment.key(block)
    results = {}
    for tie in assignment.tie_breakings:
        decisions = decide_block(assignment.learner, game.sampler, schedule, findings, tie)
        if (asked := (tie, len(schedule.samples))) != (found := (decisions.tie_breaking, decisions.shape[1])):
            raise InputError(
                "decisions", found, f"{asked}: the tie-breaking asked for, one decision per rung"
            )
        require_playable(decisions, game.sizes, "decision")
        if oracle is None:
            records = decision_columns(decisions) | played_columns(game, decisions, (*key, str(tie)))
        else:
            require_commitment(oracle, decisions, "decision")
            judged = judge_all(oracle, decisions, schedule.budget.epsilon)
            records = record_columns(decisions, judged)
        actions = action_columns(decisions, game.sizes["num_leader_actions"])
        results[tie] = BlockResult(records, actions if assignment.block_size == 1 else averaged(actions))
    return results


def cached_oracle(game: Game) -> Oracle | None:
    """The oracle of this game, None if its truth is unknown, shared by all trials on it in this process."""
    if game.identity not in _ORACLES:
        if len(_ORACLES) == _MOST_ORACLES:
            del _ORACLES[next(iter(_ORACLES))]
        _ORACLES[game.identity] = oracle_if_known(game)
    return _ORACLES[game.identity]
