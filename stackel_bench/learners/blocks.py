"""Exploration and decisions of a block of replicates, also by learners that are written for one replicate."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from stackel_bench.errors import InputError
from stackel_bench.learners.decision import Decision, Decisions
from stackel_bench.learners.guarantee import guarantee_of
from stackel_bench.learners.learner import Schedule, StreamKey, block_key
from stackel_bench.models import TieBreaking
from stackel_bench.text import plural


def explore_block(
    learner: Any, sampler: Any, schedule: Schedule, unit: int, key: StreamKey, replicates: int
) -> Any:
    """Findings about one unit for the first `replicates` of the block with this key; finding[r] is one's own.

    A learner that explores blocks draws the whole block, so that a last partial block has the same numbers.
    """
    if hasattr(learner, "explore_block"):
        found = learner.explore_block(sampler, schedule, unit, key)
        if not hasattr(found, "__getitem__"):
            raise InputError("explore_block", found, "what can be sliced by replicate, such as a list")
        return found[:replicates]
    return [learner.explore(sampler, schedule, unit, (*key, position)) for position in range(replicates)]


def decide_block(
    learner: Any, sampler: Any, schedule: Schedule, findings: Sequence[Any], tie_breaking: TieBreaking
) -> Decisions:
    """The decisions of a block's replicates from the findings of all units, with its guarantee."""
    if hasattr(learner, "decide_block"):
        found: Decisions = learner.decide_block(sampler, schedule, findings, tie_breaking)
        if not isinstance(found, Decisions):
            raise InputError("decide_block", found, "one object of the class Decisions, with arrays in it")
    else:
        rungs = len(schedule.samples)
        decided = (
            learner.decide(sampler, schedule, [finding[position] for finding in findings], tie_breaking)
            for position in range(len(findings[0]))
        )
        found = Decisions.of([_one_per_rung(each, rungs) for each in decided])
    return dataclasses.replace(found, guarantee=guarantee_of(learner))


def _one_per_rung(found: Any, rungs: int) -> Sequence[Decision]:
    """What `decide` has returned; an InputError unless it is a Decision for each rung."""
    allowed = f"a list with one Decision for each rung of the budget, {rungs} here"
    what = type(found).__name__
    if isinstance(found, list | tuple):
        strange = [type(each).__name__ for each in found if not isinstance(each, Decision)]
        if not strange and len(found) == rungs:
            return found
        what = f"{what} with {strange[0]}" if strange else plural(len(found), "Decision")
    raise InputError("decide", what, allowed, f"decide returned {what}; it must return {allowed}")


def run_block(
    learner: Any,
    sampler: Any,
    schedule: Schedule,
    seed: int,
    game_identity: str,
    block: int,
    tie_breaking: TieBreaking,
    replicates: int | None = None,
) -> Decisions:
    """Explore and decide one block from beginning to end; all its replicates unless told otherwise."""
    size = sampler.block_size if replicates is None else replicates
    key = block_key(seed, game_identity, block)
    findings = [explore_block(learner, sampler, schedule, unit, key, size) for unit in range(schedule.units)]
    return decide_block(learner, sampler, schedule, findings, tie_breaking)
