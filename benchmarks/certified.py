"""Samples at which `certified` stops on bandit games, against the paper's; prints a table for README.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

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

HARD = {"num_leader_actions": 6, "num_follower_actions": 9, "epsilon": 0.1, "gap": 0.1}
GAMES = (
    *(("taxation", {}), ("lower_bound", HARD), ("trap", {})),
    *(("random", {"instance_seed": 0}), ("random", {"instance_seed": 1})),
)


def main(runs: int) -> None:
    """One row per game and tie-breaking."""
    print("| game | tie-breaking | paper | certified, mean | largest | paper / mean | violations | at most |")
    print("|---|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(2) as pool:
        for rows in pool.map(_rows, GAMES, [runs] * len(GAMES)):
            print(*rows, sep="\n", flush=True)


def _rows(named: tuple[str, dict[str, float]], runs: int) -> list[str]:
    return list(_measured(*named, runs))


def _measured(name: str, parameters: dict[str, float], runs: int) -> Iterator[str]:
    game = sb.load_game(f"bandit/{name}", **parameters)
    learner = make_learner("bandit", "certified")
    schedule, oracle = learner.schedule(game.sampler, TheoryBudget(epsilon=0.1)), oracle_of(game)
    key = block_key(0, game.identity, 0)
    findings = [explore_block(learner, game.sampler, schedule, 0, key, runs)]
    seed = f" #{parameters['instance_seed']}" if "instance_seed" in parameters else ""
    for tie in TieBreaking:
        found = decide_block(learner, game.sampler, schedule, findings, tie)
        broken = int((~judge_all(oracle, found, 0.1).guarantee_held).sum())
        limit = stats.beta.ppf(0.95, broken + 1, runs - broken)  # exact binomial, one-sided
        used, paper = np.asarray(found.samples, dtype=float), schedule.theory_samples
        row = (f"{name}{seed}", str(tie), f"{paper:,}", f"{used.mean():,.0f}", f"{used.max():,.0f}")
        row += (f"{paper / used.mean():.0f}", f"{broken} of {runs}", f"{limit:.3f}")
        yield f"| {' | '.join(row)} |"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
