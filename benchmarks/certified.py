"""Samples at which `certified` stops on bandit games, against the paper's; prints a table for README.md."""

from __future__ import annotations

import sys

import numpy as np

import stackel_bench as sb
from stackel_bench.evaluation.verdict import judge_all
from stackel_bench.families.learners import make_learner
from stackel_bench.families.oracles import oracle_of
from stackel_bench.learners.blocks import run_block
from stackel_bench.learners.budget import TheoryBudget
from stackel_bench.models import TieBreaking

HARD = {"num_leader_actions": 6, "num_follower_actions": 9, "epsilon": 0.1, "gap": 0.1}
GAMES = {"trap": {}, "lower_bound": HARD, "taxation": {}, "random": {}}


def main(runs: int) -> None:
    """One row per game and tie-breaking; runs <= 64."""
    learner, budget = make_learner("bandit", "certified"), TheoryBudget(epsilon=0.1)
    print("| game | tie-breaking | paper | certified | paper / it | violations |\n|---|---|---|---|---|---|")
    for name, parameters in GAMES.items():
        game = sb.load_game(f"bandit/{name}", **parameters)
        schedule, oracle = learner.schedule(game.sampler, budget), oracle_of(game)
        for tie in TieBreaking:
            found = run_block(learner, game.sampler, schedule, 0, game.identity, 0, tie, runs)
            broken = int((~judge_all(oracle, found, 0.1).guarantee_held).sum())
            used, paper = float(np.mean(found.samples)), schedule.theory_samples
            row = (name, str(tie), f"{paper:,}", f"{used:,.0f}", f"{paper / used:.0f}", f"{broken} of {runs}")
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
