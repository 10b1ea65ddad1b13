"""The work of one exploration and its decisions: plain functions that run anywhere, given a trial."""

from __future__ import annotations

import functools
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from stackel_bench.evaluation.diagnostics import diagnosed
from stackel_bench.evaluation.oracle import Oracle
from stackel_bench.evaluation.summary import record_row, summarise
from stackel_bench.evaluation.truth import oracle_of
from stackel_bench.evaluation.verdict import judge
from stackel_bench.games.game import Game
from stackel_bench.learners.learner import Decision, Learner, Schedule, replicate_key
from stackel_bench.models import TieBreaking


@dataclass(frozen=True, eq=False)
class Trial:
    """A learner on a game, repeated; one exploration serves all tie-breakings asked for."""

    game: Game
    learner: Learner
    schedule: Schedule
    tie_breakings: tuple[TieBreaking, ...]
    replicates: int
    seed: int

    @property
    def kind(self) -> tuple[str, str]:
        """Trials of one kind cost alike, up to the sizes that their schedules know of."""
        return self.game.family, self.learner.name


Decisions = dict[TieBreaking, list[Decision]]  # per rung


@dataclass(frozen=True, eq=False)
class Outcome:
    """What is kept of a trial for one tie-breaking: its records and the numbers made of them."""

    records: bytes  # parquet, one row per replicate and rung
    metrics: dict[str, float]
    rungs: list[dict[str, float]]


Outcomes = dict[TieBreaking, Outcome]


@dataclass(frozen=True)
class Failure:
    """A trial that raised, with its traceback."""

    message: str
    traceback: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """The failure that this exception is."""
        return cls(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))


def explore_block(trial: Trial, units: range, replicates: range) -> list[list[Any]]:
    """Findings [replicate][unit] of a block of one trial."""
    sampler = trial.game.sampler
    epsilon = trial.schedule.budget.epsilon

    def finding(replicate: int, unit: int) -> Any:
        key = replicate_key(trial.seed, trial.game.identity, replicate)
        found = trial.learner.explore(sampler, trial.schedule, unit, key)
        return diagnosed(trial.game, unit, found, epsilon)

    return [[finding(replicate, unit) for unit in units] for replicate in replicates]


def decide_block(trial: Trial, replicates: range) -> list[Decisions]:
    """Decisions of a block of replicates, each from the findings of all units."""
    blocks = (explore_block(trial, range(trial.schedule.units), range(r, r + 1)) for r in replicates)
    return [_decide(trial, findings) for (findings,) in blocks]


def judge_decisions(trial: Trial, *blocks: Sequence[Decisions]) -> Outcomes:
    """The outcomes of a trial from the decisions of all its replicates, in order."""
    decisions = [decision for block in blocks for decision in block]
    oracle = cached_oracle(trial.game.identity, trial.game)
    epsilon = trial.schedule.budget.epsilon

    def outcome(tie: TieBreaking) -> Outcome:
        records = pd.DataFrame(
            [
                record_row(replicate, rung, decision, judge(oracle, decision, epsilon))
                for replicate, by_tie in enumerate(decisions)
                for rung, decision in enumerate(by_tie[tie])
            ]
        )
        metrics, rungs = summarise(records, trial.schedule.budget.delta)
        metrics["theory_samples"] = float(trial.schedule.theory_samples)
        return Outcome(records.to_parquet(index=False, compression="zstd"), metrics, rungs)

    return {tie: outcome(tie) for tie in trial.tie_breakings}


def judge_findings(trial: Trial, unit_blocks: int, *blocks: list[list[Any]]) -> Outcomes:
    """The outcomes of a trial from blocks of findings: replicate blocks in order, each cut in unit_blocks."""
    decisions: list[Decisions] = []
    for start in range(0, len(blocks), unit_blocks):
        for parts in zip(*blocks[start : start + unit_blocks], strict=True):
            findings = [finding for part in parts for finding in part]
            decisions.append(_decide(trial, findings))
    return judge_decisions(trial, decisions)


def run_bundle(*trials: Trial) -> list[tuple[Outcomes | Failure, float]]:
    """Whole small trials, each with its seconds; one that raises does not harm the others."""
    return [_run_whole(trial) for trial in trials]


def _run_whole(trial: Trial) -> tuple[Outcomes | Failure, float]:
    start = time.perf_counter()
    result: Outcomes | Failure
    try:
        result = judge_decisions(trial, decide_block(trial, range(trial.replicates)))
    except Exception as error:  # reported as this trial's failure, with its traceback
        result = Failure.of(error)
    return result, time.perf_counter() - start


def _decide(trial: Trial, findings: list[Any]) -> Decisions:
    sampler = trial.game.sampler
    return {tie: trial.learner.decide(sampler, trial.schedule, findings, tie) for tie in trial.tie_breakings}


class _ByIdentity:
    """A game that hashes by its identity, so that oracles can be cached across equal games."""

    def __init__(self, identity: str, game: Game) -> None:
        self.identity, self.game = identity, game

    def __hash__(self) -> int:
        return hash(self.identity)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and self.identity == other.identity


@functools.lru_cache(maxsize=32)
def _oracle(game: _ByIdentity) -> Oracle:
    return oracle_of(game.game)


def cached_oracle(identity: str, game: Game) -> Oracle:
    """The oracle of this game, shared by all trials on it in this process."""
    return _oracle(_ByIdentity(identity, game))
