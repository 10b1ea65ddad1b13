"""Decisions and verdicts of many replicates of a learner, without an executor in between."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from stackel_bench.evaluation.verdict import Verdict, judge
from stackel_bench.families.learners import make_learner
from stackel_bench.families.oracles import oracle_of
from stackel_bench.games.game import Game
from stackel_bench.learners.blocks import run_block
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Schedule
from stackel_bench.models import TieBreaking

Decided = dict[TieBreaking, list[list[Decision]]]  # [replicate][rung]


def decisions(
    game: Game, algorithm: str, budget: Budget, replicates: int, seed: int = 0, **options: Any
) -> Decided:
    learner = make_learner(game.family, algorithm, **options)
    schedule = learner.schedule(game.sampler, budget)
    return {tie: decide(learner, game, schedule, replicates, tie, seed) for tie in TieBreaking}


def decide(
    learner: Any, game: Game, schedule: Schedule, replicates: int, tie: TieBreaking, seed: int = 0
) -> list[list[Decision]]:
    """The decisions [replicate][rung] of the first replicates."""
    size = game.sampler.block_size
    found = []
    for first in range(0, replicates, size):
        wanted = min(size, replicates - first)
        block = run_block(learner, game.sampler, schedule, seed, game.identity, first // size, tie, wanted)
        found += [[block.at(row, rung) for rung in range(block.shape[1])] for row in range(wanted)]
    return found


def stopped(
    learner: Any, game: Any, budget: Budget, runs: int, seed: int = 0
) -> dict[TieBreaking, list[Decision]]:
    """What runs that end by themselves decide; each is explored once, for both tie-breakings."""
    schedule = learner.schedule(game.sampler, budget)
    found = [learner.explore(game.sampler, schedule, 0, (seed, run)) for run in range(runs)]
    return {tie: [replace(each[tie], guarantee=learner.guarantee) for each in found] for tie in TieBreaking}


def broken(game: Any, found: list[Decision], epsilon: float) -> int:
    """How many of the decisions break a line of what their learner promises."""
    oracle = oracle_of(game)
    return sum(not judge(oracle, decision, epsilon).guarantee_held for decision in found)


def verdicts(
    game: Game, algorithm: str, budget: Budget, replicates: int, seed: int = 0, **options: Any
) -> dict[TieBreaking, list[Verdict]]:
    """At the largest rung of the budget."""
    oracle = oracle_of(game)
    decided = decisions(game, algorithm, budget, replicates, seed, **options)
    return {tie: [judge(oracle, rungs[-1], budget.epsilon) for rungs in decided[tie]] for tie in TieBreaking}


def failure_rate(judged: list[Verdict]) -> float:
    return float(np.mean([not verdict.guarantee_held for verdict in judged]))


def plausible(hits: int, trials: int, low: float, high: float, alarm: float = 1e-6) -> bool:
    """Whether hits of trials could come from a probability in [low, high], at this false-alarm rate."""
    at_least = stats.binom.sf(hits - 1, trials, high)
    at_most = stats.binom.cdf(hits, trials, low)
    return bool(at_least > alarm and at_most > alarm)
