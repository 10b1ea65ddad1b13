"""Samples at which `certified` stops, against the budgets of others; prints a table for README.md.

certified.py FAMILY RUNS [FIRST]: the games from number FIRST on.
certified.py stress GAMES: how often what is proven is false at delta = 1/2, with values at boundaries.
"""

from __future__ import annotations

import importlib
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
from stackel_bench.learners.blocks import decide_block, explore_block, run_block
from stackel_bench.learners.budget import TheoryBudget
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import block_key
from stackel_bench.models import TieBreaking
from stackel_bench.planning.mixed.value import mixed_leader_value
from tests.replicates import stopped

Named = tuple[str, Mapping[str, Any], float]  # instance, parameters, epsilon

HARD = {"num_leader_actions": 6, "num_follower_actions": 9, "epsilon": 0.1, "gap": 0.1}
SEEDS = ({"instance_seed": 0}, {"instance_seed": 1})
SQUARE = {"num_leader_actions": 20, "num_follower_actions": 20}
WIDE = {"num_leader_actions": 40, "num_follower_actions": 50, "dimension": 5}
FOUR = {"num_leader_actions": 4, "num_follower_actions": 4}
LOCK = {"num_follower_actions": 2, "num_leader_actions": 3}


def _shape(states: int, responses: int, horizon: int, actions: int) -> dict[str, int]:
    sizes = {"num_states": states, "num_follower_actions": responses}
    return {**sizes, "horizon": horizon, "num_leader_actions": actions}


GAMES: dict[str, tuple[Named, ...]] = {
    "bandit": (
        *(("taxation", {}, 0.1), ("lower_bound", HARD, 0.1), ("trap", {}, 0.1)),
        *(("random", seed, 0.1) for seed in SEEDS),
    ),
    "bandit_rl": (
        *(("random", _shape(2, 2, 2, 2), 0.25), ("taxation", _shape(2, 3, 2, 3), 0.25)),
        *(("lock", {**LOCK, "horizon": horizon}, epsilon) for horizon, epsilon in ((3, 0.25), (8, 0.5))),
        *(("random", _shape(3, 2, 3, 6), 0.5), ("lower_bound", HARD, 0.1)),
        *(("taxation", {}, 0.5), ("random", _shape(4, 3, 4, 4), 0.5)),
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
RIVALS["bandit_rl"] = ("paper", "rf_ucrl")
DELTA = {"bandit_rl": 0.1}  # elsewhere the default


def main(family: str, runs: int, first: int = 0) -> None:
    """One row per game and tie-breaking."""
    ratios = [f"{rival} | {rival} / mean" for rival in RIVALS[family]]
    titles = ["game", "eps", "tie-breaking", "certified, mean", "largest", *ratios, "violations", "at most"]
    print(f"| {' | '.join(titles)} |")
    print("|---" * (len(titles) + len(ratios)) + "|")
    with ProcessPoolExecutor(2) as pool:
        games = [(family, named, runs) for named in GAMES[family][first:]]
        for rows in pool.map(_rows, *zip(*games, strict=True)):
            print(*rows, sep="\n", flush=True)


def _rows(family: str, named: Named, runs: int) -> list[str]:
    return list(_measured(family, *named, runs))


def _measured(
    family: str, name: str, parameters: Mapping[str, Any], epsilon: float, runs: int
) -> Iterator[str]:
    game = sb.load_game(f"{family}/{name}", **parameters)
    budget = TheoryBudget(epsilon=epsilon, **({"delta": DELTA[family]} if family in DELTA else {}))
    learner = make_learner(family, "certified")
    schedule, oracle = learner.schedule(game.sampler, budget), oracle_of(game)
    rivals = [_samples(game, rival, budget) for rival in RIVALS[family]]
    sizes = " x ".join(str(size) for size in game.sizes.values())
    seed = f" #{parameters['instance_seed']}" if "instance_seed" in parameters else ""
    if game.sampler.block_size == 1:  # every replicate has a block of its own
        keys = [block_key(0, game.identity, block) for block in range(runs)]
        findings = [[explore_block(learner, game.sampler, schedule, 0, key, 1)[0] for key in keys]]
    else:
        findings = [explore_block(learner, game.sampler, schedule, 0, block_key(0, game.identity, 0), runs)]
    for tie in TieBreaking:
        found = decide_block(learner, game.sampler, schedule, findings, tie)
        broken = int((~judge_all(oracle, found, epsilon).guarantee_held).sum())
        limit = stats.beta.ppf(0.95, broken + 1, runs - broken)  # exact binomial, one-sided
        used = np.asarray(found.samples, dtype=float)
        row = [f"{name} {sizes}{seed}", f"{epsilon:g}", str(tie), f"{used.mean():,.0f}", f"{used.max():,.0f}"]
        for rival in rivals:
            row += [f"{rival:,.0f}", f"{rival / used.mean():.1f}"]
        yield f"| {' | '.join([*row, f'{broken} of {runs}', f'{limit:.3f}'])} |"


def _samples(game: Any, rival: str, budget: TheoryBudget) -> float:
    """What the rival's theorem asks for; the mean of three runs of an explorer that stops by itself."""
    if rival != "rf_ucrl":
        return make_learner(game.family, rival).schedule(game.sampler, budget).theory_samples
    learner = make_learner(game.family, "paper", explorer=rival)
    schedule = learner.schedule(game.sampler, budget)
    arguments = (learner, game.sampler, schedule, 0, game.identity)
    return float(
        np.mean([run_block(*arguments, block, TieBreaking.PESSIMISTIC).samples for block in range(3)])
    )


def stress(games: int) -> None:
    """Ten runs on each game of the families' own tests, in which values differ by about eps/2 and eps."""
    print("| family | tie-breaking | false | at most |\n|---|---|---|---|")
    for family in GAMES:
        tests = importlib.import_module(f"tests.families.{family}.test_certified")
        learner = make_learner(family, "certified")
        budget = TheoryBudget(epsilon=tests.EPSILON, delta=0.5)
        wrong, runs = dict.fromkeys(TieBreaking, 0), 0
        for seed in range(games):
            game = tests.boundary_game(seed)
            for tie, found in stopped(learner, game, budget, 10, seed).items():
                wrong[tie] += sum(not _what_is_proven_holds(game, each, tests.EPSILON) for each in found)
            runs += 10
        for tie, count in wrong.items():
            limit = stats.beta.ppf(0.95, count + 1, runs - count)
            print(f"| {family} | {tie} | {count} of {runs} | {limit:.4f} |", flush=True)


def _what_is_proven_holds(game: Any, decision: Decision, epsilon: float) -> bool:
    """Both lines that stop a run: the leader's allows no gap, and can fail where the paper's cannot."""
    pessimistic = decision.tie_breaking is TieBreaking.PESSIMISTIC
    own, best = (epsilon / 2, epsilon) if pessimistic else (epsilon, 0.0)
    if decision.leader_strategy is None:
        low, high = (sb.leader_values(game, slack, str(decision.tie_breaking)) for slack in (own, best))
        worth, most = low[decision.leader_action], high.max()
    else:
        worth = mixed_leader_value(game.table, decision.leader_strategy, own, decision.tie_breaking).value
        most = sb.stackelberg_value(game, slack=best, tie_breaking=str(decision.tie_breaking))
    return bool(worth >= most - epsilon - 1e-9) and (
        sb.evaluate(game, decision, epsilon).follower_suboptimality <= epsilon + 1e-9
    )


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[2:]]
    stress(*words) if sys.argv[1] == "stress" else main(sys.argv[1], *words)
