"""Compiles the kernels that families need once, here, so that no worker waits for a compiler."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from stackel_bench.evaluation.truth import oracle_of
from stackel_bench.evaluation.verdict import judge_all
from stackel_bench.exploration import warm_up as exploration_warm_up
from stackel_bench.games.game import FAMILIES
from stackel_bench.games.linear import LinearBanditGame
from stackel_bench.learners.blocks import run_block
from stackel_bench.learners.budget import FixedBudget
from stackel_bench.learners.linear import Paper
from stackel_bench.models import FollowerMDP, PayoffTable, TieBreaking
from stackel_bench.models.feature_source import feature_source
from stackel_bench.models.linear_model import LinearModel
from stackel_bench.planning import (
    best_mixed_leader_strategy,
    best_responses,
    worst_case_mixed_leader_strategy,
)
from stackel_bench.planning.best_response.policy_evaluation import policy_values
from stackel_bench.planning.mixed.gaps import mixed_gap
from stackel_bench.planning.mixed.value import mixed_leader_value, mixed_leader_values
from stackel_bench.statistics.binomial import binomial_interval
from stackel_bench.statistics.bounded_mean import mean_intervals
from stackel_bench.statistics.crossing import samples_needed


def compile_kernels(families: Collection[str] = FAMILIES) -> None:
    """Compile, or load from numba's cache on disk, what games of these families run on."""
    _compile_statistics()
    if "linear" in families:
        _compile_linear()
    if "bandit_rl" in families:
        exploration_warm_up.warm_up()
        _compile_best_responses()
    if "simultaneous" in families:
        _compile_commitments()


def _compile_statistics() -> None:
    held = np.array([[False, True], [True, True], [True, True]])
    mean_intervals(np.array([[0.5, 0.0], [0.0, 0.25], [0.0, 0.0]]), 0.0, 1.0)
    binomial_interval(1, 3)
    samples_needed([10.0, 20.0], ~held, 0.05)


def _compile_linear() -> None:
    features = feature_source(np.arange(12.0).reshape(2, 3, 2) / 12)
    game = LinearBanditGame(LinearModel(features, np.array([0.5, 0.25]), np.array([0.25, 0.5])))
    learner = Paper()
    schedule = learner.schedule(game.sampler, FixedBudget(epsilon=0.5, samples=100))
    for tie_breaking in TieBreaking:
        decisions = run_block(learner, game.sampler, schedule, 0, "warm up", 0, tie_breaking, 1)
        judge_all(oracle_of(game), decisions, 0.5)


def _compile_best_responses() -> None:
    shape = (2, 2, 2)
    mdp = FollowerMDP(np.full((*shape, 2), 0.5), np.full(shape, 0.5), np.full(shape, 0.5))
    for method in ("chord", "eliminate"):
        best_responses([mdp], 0.1, TieBreaking.PESSIMISTIC, method=method)
    policy_values(mdp, np.full(shape, 0.5))


def _compile_commitments() -> None:
    table = PayoffTable(np.array([[0.5, 1.0], [0.25, 0.75]]), np.eye(2))
    worst_case_mixed_leader_strategy(table, 0.1)
    best_mixed_leader_strategy(table)
    for tie_breaking in TieBreaking:
        mixed_gap(table, 0.1, tie_breaking)
        mixed_leader_value(table, [0.5, 0.5], 0.1, tie_breaking)
        mixed_leader_values(table, np.full((1, 2), 0.5), 0.1, tie_breaking)


if __name__ == "__main__":
    compile_kernels()
