"""Samples at which `certified` stops, against the budgets of others; prints a table for README.md.

certified.py FAMILY RUNS
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from scipy import stats

import stackel_bench as sb
from stackel_bench.evaluation.verdict import judge_all
from stackel_bench.families.learners import make_learner
from stackel_bench.families.oracles import oracle_of
from stackel_bench.learners.blocks import decide_block, explore_block
from stackel_bench.learners.budget import TheoryBudget
from stackel_bench.learners.learner import block_key
from stackel_bench.models import TieBreaking

Named = tuple[str, Mapping[str, Any], float]  # instance, parameters, epsilon

HARD = {"num_leader_actions": 6, "num_follower_actions": 9, "epsilon": 0.1, "gap": 0.1}
SEEDS = ({"instance_seed": 0}, {"instance_seed": 1})
SQUARE = {"num_leader_actions": 20, "num_follower_actions": 20}
WIDE = {"num_leader_actions": 40, "num_follower_actions": 50, "dimension": 5}
FOUR = {"num_leader_actions": 4, "num_follower_actions": 4}
GAMES: dict[str, tuple[Named, ...]] = {
    "bandit": (
        *(("taxation", {}, 0.1), ("lower_bound", HARD, 0.1), ("trap", {}, 0.1)),
        *(("random", seed, 0.1) for seed in SEEDS),
    ),
    "linear": (
        *(("taxation", {}, 0.1), ("taxation", {}, 0.2)),
        *(("random", {**SQUARE, "dimension": 5}, epsilon) for epsilon in (0.1, 0.2)),
        *(("random", WIDE, 0.2), ("random", {**SQUARE, "dimension": 10}, 0.2)),
        ("low_rank", {**SQUARE, "dimension": 8, "rank": 3}, 0.2),
    ),
    "simultaneous": (
        *(("commitment", {}, 0.1), ("indifference", {}, 0.1)),
        *(("random", {**FOUR, **seed}, 0.1) for seed in SEEDS),
        *(("security", {}, 0.1), ("inspection", {}, 0.1)),
    ),
}
RIVALS = {"bandit": ("paper",), "linear": ("paper", "g_optimal"), "simultaneous": ("paper",)}


def main(family: str, runs: int) -> None:
    """One row per game and tie-breaking."""
    ratios = [f"{rival} | {rival} / mean" for rival in RIVALS[family]]
    titles = ["game", "eps", "tie-breaking", "certified, mean", "largest", *ratios, "violations", "at most"]
    print(f"| {' | '.join(titles)} |")
    print("|---" * (len(titles) + len(ratios)) + "|")
    with ProcessPoolExecutor(2) as pool:
        for rows in pool.map(_rows, *zip(*((family, named, runs) for named in GAMES[family]), strict=True)):
            print(*rows, sep="\n", flush=True)


def _rows(family: str, named: Named, runs: int) -> list[str]:
    return list(_measured(family, *named, runs))


def _measured(
    family: str, name: str, parameters: Mapping[str, Any], epsilon: float, runs: int
) -> Iterator[str]:
    game = sb.load_game(f"{family}/{name}", **parameters)
    budget = TheoryBudget(epsilon=epsilon)
    learner = make_learner(family, "certified")
    schedule, oracle = learner.schedule(game.sampler, budget), oracle_of(game)
    rivals = [make_learner(family, rival).schedule(game.sampler, budget) for rival in RIVALS[family]]
    sizes = " x ".join(str(size) for size in game.sizes.values())
    seed = f" #{parameters['instance_seed']}" if "instance_seed" in parameters else ""
    findings = [explore_block(learner, game.sampler, schedule, 0, block_key(0, game.identity, 0), runs)]
    for tie in TieBreaking:
        found = decide_block(learner, game.sampler, schedule, findings, tie)
        broken = int((~judge_all(oracle, found, epsilon).guarantee_held).sum())
        limit = stats.beta.ppf(0.95, broken + 1, runs - broken)  # exact binomial, one-sided
        used = np.asarray(found.samples, dtype=float)
        row = [f"{name} {sizes}{seed}", f"{epsilon:g}", str(tie), f"{used.mean():,.0f}", f"{used.max():,.0f}"]
        for rival in rivals:
            row += [f"{rival.theory_samples:,}", f"{rival.theory_samples / used.mean():.1f}"]
        yield f"| {' | '.join([*row, f'{broken} of {runs}', f'{limit:.3f}'])} |"


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40)
