"""Prints how long commitments over the simplex take beside HiGHS (pessimistic) and OpenSpiel (optimistic).

One thread, CPU seconds of one run, so that ratios hold on a busy machine. The integer programs' times exclude
building them. `--limit` bounds each integer program (seconds of wall time), `--games` sets games per line.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is imported
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the independent reference lives in tests

import numpy as np

from stackel_bench.models import PayoffTable
from stackel_bench.planning.mixed.gaps import mixed_gap
from stackel_bench.planning.mixed.optimistic import best_mixed_leader_strategy
from stackel_bench.planning.mixed.pessimistic import worst_case_mixed_leader_strategy
from stackel_bench.streams import generator
from tests.simplex_references import IntegerOptimum, pessimistic_milp, pessimistic_milp_of_reference

SLACK = 0.1
ACCURACY = SLACK / 8  # what the paper's proof asks of its subroutine
MARGIN = 1e-5  # the integer programs' strictness: ten times their feasibility tolerance
SIZES = [(10, 10), (10, 20), (10, 40), (10, 80)]
LARGE = [
    ("uniform", 0.05, 20, 640),
    ("uniform", 0.05, 100, 100),
    ("narrow", 0.1, 20, 320),
    ("narrow", 0.1, 50, 200),
    ("opposed", 0.1, 20, 640),
    ("opposed", 0.1, 50, 100),
    ("opposed", 0.1, 100, 100),
]
OPTIMISTIC_SIZES = [5, 10, 20, 50]


def random_table(family: str, actions: int, responses: int, seed: int) -> PayoffTable:
    """Uniform payoffs; `narrow`: follower within 0.3; `opposed`: leader 80 % against the follower."""
    rng = generator("commitment benchmark", family, actions, responses, seed)
    leader, follower = rng.random((2, actions, responses))
    if family == "opposed":
        leader = 0.8 * (1 - follower) + 0.2 * leader
    return PayoffTable(leader, 0.5 + 3 * SLACK * (follower - 0.5) if family == "narrow" else follower)


def least_seconds(run: Callable[[], object], budget: float = 0.2) -> float:
    """The least CPU time of one run among as many as fit into the budget, at least 3."""
    least, spent, runs = math.inf, 0.0, 0
    while spent < budget or runs < 3:
        began = time.process_time()
        run()
        took = time.process_time() - began
        least, spent, runs = min(least, took), spent + took, runs + 1
    return least


def global_milp(table: PayoffTable, limit: float) -> IntegerOptimum:
    """One integer program over all best replies."""
    game = (table.leader_means, table.follower_means)
    return pessimistic_milp(*game, SLACK, MARGIN, time_limit=limit, accuracy=ACCURACY)


def milp_per_reference(table: PayoffTable, limit: float) -> IntegerOptimum:
    """One integer program per best reply that can still win, with the seconds of all of them."""
    game = (table.leader_means, table.follower_means, SLACK, MARGIN)
    responses = range(table.shape[1])
    deadline = time.monotonic() + limit
    roots = [pessimistic_milp_of_reference(*game, c, relaxed=True) for c in responses]
    seconds = sum(root.seconds for root in roots)
    best = -math.inf
    for c in sorted(responses, key=lambda c: -roots[c].value):
        if roots[c].value <= best + ACCURACY:
            break
        left = max(0.01, deadline - time.monotonic())
        found = pessimistic_milp_of_reference(*game, c, time_limit=left, accuracy=ACCURACY)
        seconds += found.seconds
        if not found.solved:
            return IntegerOptimum(best, False, seconds)
        best = max(best, found.value)
    return IntegerOptimum(best, True, seconds)


def pessimistic_table(games: int, limit: float) -> None:
    print(
        f"Pessimistic, slack {SLACK}, accuracy {ACCURACY}, mean of {games} games; > means the limit was hit\n"
    )
    print("| family | A | B | ours, ms | nodes | one program per reply, s | ratio | one program, s | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for family in ("uniform", "narrow"):
        for actions, responses in SIZES:
            tables = [random_table(family, actions, responses, seed) for seed in range(games)]
            ours = [least_seconds(lambda t=t: commit(t)) for t in tables]
            found = [commit(table) for table in tables]
            columns = []
            for method in (milp_per_reference, global_milp):
                results = [method(table, limit) for table in tables]
                for result, commitment in zip(results, found, strict=True):
                    assert result.value <= commitment.upper_bound + 1e-5
                    assert not result.solved or result.value >= commitment.value - ACCURACY - 1e-3
                sign = "" if all(result.solved for result in results) else "> "
                seconds = np.mean([result.seconds for result in results])
                columns += [f"{sign}{seconds:.2f}", f"{sign}{seconds / np.mean(ours):.0f}"]
            nodes = np.mean([commitment.nodes for commitment in found])
            line = [family, actions, responses, f"{1e3 * np.mean(ours):.2f}", f"{nodes:.0f}", *columns]
            print("| " + " | ".join(map(str, line)) + " |", flush=True)


def commit(table: PayoffTable):
    commitment = worst_case_mixed_leader_strategy(table, SLACK, ACCURACY)
    assert commitment.finished
    return commitment


def large_table(limit: float) -> None:
    print(f"\nPessimistic, larger games, accuracy slack/8, one game each, at most {limit:g} s of wall time\n")
    print("| family | slack | A | B | ours, s | nodes | (bound - value) / accuracy |")
    print("|---|---|---|---|---|---|---|")
    for family, slack, actions, responses in LARGE:
        table = random_table(family, actions, responses, 0)
        began = time.process_time()
        found = worst_case_mixed_leader_strategy(table, slack, slack / 8, time_limit=limit)
        seconds = time.process_time() - began
        left = 8 * (found.upper_bound - found.value) / slack
        line = [family, slack, actions, responses, f"{seconds:.2f}", found.nodes, f"{left:.2f}"]
        print("| " + " | ".join(map(str, line)) + " |", flush=True)


def optimistic_table(games: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyspiel
        from open_spiel.python.algorithms.stackelberg_lp import solve_stackelberg

        print(f"\nOptimistic, slack 0, uniform payoffs, mean of {games} games\n")
        print("| A = B | ours, ms | OpenSpiel, s | ratio | largest difference of values |")
        print("|---|---|---|---|---|")
        for size in OPTIMISTIC_SIZES:
            ours, theirs, differences = [], [], []
            for seed in range(games):
                table = random_table("uniform", size, size, seed)
                ours.append(least_seconds(lambda t=table: best_mixed_leader_strategy(t)))
                game = pyspiel.create_matrix_game(table.leader_means.tolist(), table.follower_means.tolist())
                began = time.process_time()
                value = solve_stackelberg(game)[2]
                theirs.append(time.process_time() - began)
                differences.append(abs(value - best_mixed_leader_strategy(table).value))
            ratio = np.mean(theirs) / np.mean(ours)
            line = [size, f"{1e3 * np.mean(ours):.3f}", f"{np.mean(theirs):.2f}", f"{ratio:.0f}"]
            print("| " + " | ".join(map(str, [*line, f"{max(differences):.1e}"])) + " |", flush=True)


def gap_table() -> None:
    print(f"\nGaps of one 20 x 40 game, uniform payoffs, epsilon {SLACK}\n")
    print("| gap | ms | low | high |")
    print("|---|---|---|---|")
    table = random_table("uniform", 20, 40, 0)
    for rule in ("pessimistic", "optimistic"):
        seconds = least_seconds(lambda rule=rule: mixed_gap(table, SLACK, rule))
        gap = mixed_gap(table, SLACK, rule)
        print(f"| {rule} | {1e3 * seconds:.1f} | {gap.low:.7f} | {gap.high:.7f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--limit", type=float, default=30.0)
    arguments = parser.parse_args()
    pessimistic_table(arguments.games, arguments.limit)
    large_table(arguments.limit)
    optimistic_table(arguments.games)
    gap_table()


if __name__ == "__main__":
    main()
