"""Prints how long a worst-case best response takes beside HiGHS on the paper's linear program.

One thread, CPU time of one run, so that ratios hold on a busy machine. HiGHS is not charged for building
its matrix, we are charged for the Markov policy. `--limit` bounds each LP (wall seconds), `--quick` skips
the largest size.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is imported
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the independent reference lives in tests

import numpy as np

from stackel_bench.models import FollowerMDP
from stackel_bench.planning.best_response import best_responses, worst_case_best_response
from stackel_bench.streams import generator
from tests import occupancy_lp
from tests.planning.best_response.chord_numpy import worst_case_numpy

SLACK = 0.05
SIZES = [
    ((3, 3, 2), 5),
    ((5, 10, 5), 5),
    ((10, 20, 5), 5),
    ((10, 50, 10), 3),
    ((20, 100, 10), 1),
    ((20, 300, 10), 1),
]
BATCH_SIZES = [(1, 1, 10), (3, 3, 2), (5, 10, 5), (10, 20, 5), (10, 50, 10)]
METHODS = {
    "numpy": worst_case_numpy,
    "chord": partial(worst_case_best_response, method="chord"),
    "eliminate": partial(worst_case_best_response, method="eliminate"),
}
LEADER_ACTIONS = 64


def random_mdp(shape: tuple[int, int, int], seed: int) -> FollowerMDP:
    rng = generator("best response benchmark", *shape, seed)
    transitions = rng.exponential(size=(*shape, shape[1]))
    transitions /= transitions.sum(axis=3, keepdims=True)
    return FollowerMDP(transitions, rng.random(shape), rng.random(shape))


def least_seconds(run: Callable[[], object], chunk: float = 0.02, chunks: int = 12) -> float:
    """CPU seconds of one run: the least mean among chunks long enough for the clock, after one to compile."""
    run()
    began = time.perf_counter()
    run()
    repeats = max(1, round(chunk / (time.perf_counter() - began)))
    least = math.inf
    for _ in range(chunks):
        began = time.process_time()
        for _ in range(repeats):
            run()
        least = min(least, (time.process_time() - began) / repeats)
    return least


def lp_seconds(mdp: FollowerMDP, target: float, value: float, limit: float) -> tuple[float, bool]:
    """(CPU seconds of the faster of HiGHS's simplex and interior point, whether that one finished).

    Where the simplex does not finish, the interior point method would not either and is spared.
    """
    program = occupancy_lp.occupancy_program(mdp)
    outcomes = []
    for method in ("highs-ds", "highs-ipm"):
        began = time.process_time()
        answer = occupancy_lp.solve(program, program.leader_rewards, target, method=method, time_limit=limit)
        outcomes.append((answer.status != 0, time.process_time() - began))
        if answer.status != 0:
            break
        if answer.status == 0 and abs(answer.fun - value) > 1e-8:
            raise AssertionError(f"{method} found {answer.fun}, we found {value}")
    unfinished, seconds = min(outcomes)
    return seconds, not unfinished


def compare_with_highs(sizes: list[tuple[tuple[int, int, int], int]], limit: float) -> None:
    """One row for each size: geometric means over the models of that size."""
    print("| H,S,B | models | passes | one read ms | numpy ms | chord ms | eliminate ms | HiGHS s | ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for shape, models in sizes:
        rows, finished = [], True
        for seed in range(models):
            mdp = random_mdp(shape, seed)
            # Neither the last step's transitions nor the first step's elsewhere are ever needed.
            read = least_seconds(lambda mdp=mdp: mdp.transitions[1:-1].sum())
            ours = [
                least_seconds(lambda mdp=mdp, respond=respond: respond(mdp, SLACK))
                for respond in METHODS.values()
            ]
            response = worst_case_best_response(mdp, SLACK)
            target = response.follower_optimum - SLACK
            seconds, done = lp_seconds(mdp, target, response.leader_value, limit)
            finished = finished and done
            passes = worst_case_best_response(mdp, SLACK, method="chord").passes
            rows.append([passes, read, *ours, seconds, seconds / min(ours)])
        passes, read, numpy, chord, eliminate, highs, ratio = np.exp(np.log(rows).mean(axis=0))
        beyond = "" if finished else ">"
        print(
            f"| {','.join(map(str, shape))} | {models} | {passes:.1f} | {read * 1e3:.3g} | {numpy * 1e3:.3g} "
            f"| {chord * 1e3:.3g} | {eliminate * 1e3:.3g} | {beyond}{highs:.3g} | {beyond}{ratio:,.0f} |",
            flush=True,
        )


def compare_batches() -> None:
    """One row for each size: all leader actions one by one and in one call."""
    print(f"\n{LEADER_ACTIONS} leader actions, CPU ms for all of them\n")
    print("| H,S,B | numpy one by one | one by one | one call | one by one / one call | numpy / one call |")
    print("|---|---|---|---|---|---|")
    for shape in BATCH_SIZES:
        mdps = [random_mdp(shape, seed) for seed in range(LEADER_ACTIONS)]
        numpy = least_seconds(lambda mdps=mdps: [worst_case_numpy(mdp, SLACK) for mdp in mdps])
        single = least_seconds(lambda mdps=mdps: [worst_case_best_response(mdp, SLACK) for mdp in mdps])
        batch = least_seconds(lambda mdps=mdps: best_responses(mdps, SLACK, "pessimistic"))
        print(
            f"| {','.join(map(str, shape))} | {numpy * 1e3:.3g} | {single * 1e3:.3g} | {batch * 1e3:.3g} "
            f"| {single / batch:.2g} | {numpy / batch:.3g} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=120.0)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    compare_with_highs(SIZES[:-1] if arguments.quick else SIZES, arguments.limit)
    compare_batches()


if __name__ == "__main__":
    main()
