"""Compiles the kernels that families need once, here, so that no worker waits for a compiler."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from stackel_bench.exploration import warm_up as exploration_warm_up
from stackel_bench.games.game import FAMILIES
from stackel_bench.models import FollowerMDP, PayoffTable, TieBreaking
from stackel_bench.planning import (
    best_mixed_leader_strategy,
    best_responses,
    worst_case_mixed_leader_strategy,
)
from stackel_bench.planning.mixed_gaps import mixed_gap


def compile_kernels(families: Collection[str] = FAMILIES) -> None:
    """Compile, or load from numba's cache on disk, what games of these families run on."""
    if "bandit_rl" in families:
        exploration_warm_up.warm_up()
        _compile_best_responses()
    if "simultaneous" in families:
        _compile_commitments()


def _compile_best_responses() -> None:
    shape = (2, 2, 2)
    mdp = FollowerMDP(np.full((*shape, 2), 0.5), np.full(shape, 0.5), np.full(shape, 0.5))
    for method in ("chord", "eliminate"):
        best_responses([mdp], 0.1, TieBreaking.PESSIMISTIC, method=method)


def _compile_commitments() -> None:
    table = PayoffTable(np.array([[0.5, 1.0], [0.25, 0.75]]), np.eye(2))
    worst_case_mixed_leader_strategy(table, 0.1)
    best_mixed_leader_strategy(table)
    for tie_breaking in TieBreaking:
        mixed_gap(table, 0.1, tie_breaking)


if __name__ == "__main__":
    compile_kernels()
