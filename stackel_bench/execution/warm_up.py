"""Compiles the kernels that families need once, here, so that no worker waits for a compiler."""

import multiprocessing
import os
from collections.abc import Collection
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from stackel_bench.evaluation.verdict import judge_all
from stackel_bench.families.family import Family
from stackel_bench.families.games import load_game
from stackel_bench.families.learners import make_learner
from stackel_bench.families.oracles import oracle_of
from stackel_bench.families.registry import FAMILIES, family_of
from stackel_bench.learners.blocks import run_block
from stackel_bench.learners.budget import FixedBudget
from stackel_bench.learners.learner import Learner
from stackel_bench.models import TieBreaking
from stackel_bench.statistics.binomial import binomial_interval
from stackel_bench.statistics.bounded_mean import mean_intervals
from stackel_bench.statistics.crossing import samples_needed


def compile_kernels(families: Collection[str] = FAMILIES) -> None:
    """Compile, or load from numba's cache on disk, what games of these families run on."""
    _compile_statistics()
    for family in map(family_of, families):
        if family.contract is not None:
            _play(family)


def compile_side_by_side() -> None:
    """Fill numba's cache on disk for all families, one process each; for a fresh installation."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=spawn) as pool:
        for done in [pool.submit(compile_kernels, [family]) for family in FAMILIES]:
            done.result()


def _play(family: Family) -> None:
    """Learn the small game of the family's contract in every way, and judge the answers."""
    assert family.contract is not None
    game = load_game(family.contract.game, **family.contract.parameters)
    oracle, budget = oracle_of(game), FixedBudget(epsilon=0.5, samples=60)
    learners: list[Learner] = [learner() for learner in family.learners.values()]
    first = next(iter(family.learners))
    learners += [make_learner(family.name, first, explorer=explorer) for explorer in family.explorers]
    for learner in learners:
        schedule = learner.schedule(game.sampler, budget)
        for tie in TieBreaking:
            decisions = run_block(learner, game.sampler, schedule, 0, "warm up", 0, tie, 1)
            judge_all(oracle, decisions, budget.epsilon)
    if family.characteristic_time is not None:
        family.characteristic_time(game, 0.1, TieBreaking.PESSIMISTIC, "gaussian")


def _compile_statistics() -> None:
    held = np.array([[False, True], [True, True], [True, True]])
    mean_intervals(np.array([[0.5, 0.0], [0.0, 0.25], [0.0, 0.0]]), 0.0, 1.0)
    binomial_interval(1, 3)
    samples_needed([10.0, 20.0], ~held, 0.05)


if __name__ == "__main__":
    compile_side_by_side()
