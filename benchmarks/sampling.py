"""Prints the time of reward sums by sufficient statistics beside vectorised per-sample draws.

The rival draws every single reward, vectorised over pairs and pulls in pieces that stay in cache, and adds
them up; it is timed on a few rows and multiplied, since all rows cost the same. One thread, least CPU time of
interleaved repeats, so that ratios hold on a busy machine.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is imported

import numpy as np

import stackel_bench as sb
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.simulation.pulls import nested_reward_sums
from stackel_bench.streams import generator

SIZE = 100  # leader and follower actions
SCALE = 0.5
PIECE = 2**16  # single rewards at a time: 512 kB
REPEATS = 7


def per_sample(means: np.ndarray, kind: str, pulls: int) -> np.ndarray:
    """Sums of single rewards of these arms."""
    rng = np.random.default_rng(0)
    arms = means.ravel()
    sums = np.zeros(arms.shape)
    step = max(1, PIECE // len(arms))
    for start in range(0, pulls, step):
        size = (min(step, pulls - start), len(arms))
        if kind == "bernoulli":
            sums += np.count_nonzero(rng.random(size) < arms, axis=0)
        else:
            sums += (arms + SCALE * rng.standard_normal(size)).sum(axis=0)
    return sums.reshape(means.shape)


def by_rows(game: BanditGame, pulls: int) -> None:
    """As learners draw: a keyed stream for each leader action."""
    for row in range(SIZE):
        game.sampler.pull_row(row, (pulls,), generator("benchmark", row))


def seconds_of(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def compare(kind: str, pulls: int) -> tuple[float, float, float]:
    """CPU seconds for the whole table: per sample (nan if hopeless), simulator, simulator by rows."""
    game = sb.load_game("bandit/random", num_leader_actions=SIZE, num_follower_actions=SIZE, noise=kind)
    assert isinstance(game, BanditGame)
    means = np.stack([game.table.leader_means, game.table.follower_means])
    rows = max(1, min(SIZE, 2 * 10**5 // pulls))
    single = [math.inf]
    whole, keyed = [], []
    for repeat in range(REPEATS):
        rng = generator("benchmark", repeat)
        whole.append(seconds_of(lambda rng=rng: nested_reward_sums(means, kind, SCALE, [pulls], rng)))
        keyed.append(seconds_of(lambda: by_rows(game, pulls)))
        if pulls <= 10**6 and repeat < (2 if pulls == 10**6 else REPEATS):
            single.append(seconds_of(lambda: per_sample(means[:, :rows], kind, pulls)) * SIZE / rows)
    return min(single), min(whole), min(keyed)


def main() -> None:
    print("| rewards | pulls N | per sample, s | one call, ms | ratio | a stream per row, ms | ratio |")
    print("|---|---|---|---|---|---|---|")
    for kind in ("bernoulli", "gaussian"):
        for pulls in (10**3, 10**4, 10**5, 10**6, 10**12, 2**53):
            single, whole, keyed = compare(kind, pulls)
            slow = f"{single:.3g}" if math.isfinite(single) else "-"
            ratios = [f"{single / s:,.0f}" if math.isfinite(single) else "-" for s in (whole, keyed)]
            size = "2^53" if pulls == 2**53 else f"1e{len(str(pulls)) - 1}"
            times = [f"{s * 1e3:.2g}" for s in (whole, keyed)]
            print(f"| {kind} | {size} | {slow} | {times[0]} | {ratios[0]} | {times[1]} | {ratios[1]} |")


if __name__ == "__main__":
    main()
