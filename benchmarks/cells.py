"""One cell of a 10 x 10 bandit game against bare numpy: what blocks, judging, summaries and tables cost.

400 replicates, 8 rungs, both tie-breakings. Bare numpy draws as many samples for all replicates at once and
computes decisions, losses and failure rates, nothing else. Ratios within one run, one thread, CPU time.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import statistics
import time
from collections.abc import Callable

import numpy as np

import stackel_bench as sb
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.bandit.learners import Paper
from stackel_bench.learners.budget import LadderBudget
from stackel_bench.models import TieBreaking
from stackel_bench.trials.pieces import whole_trial
from stackel_bench.trials.trial import Trial

REPLICATES, REPEATS = 400, 15


def bare_numpy(game: BanditGame, counts: np.ndarray, epsilon: float, seed: int) -> list[np.ndarray]:
    """Failure rates and mean losses [rung] for each tie-breaking, all replicates at once."""
    rng = np.random.default_rng(seed)
    means = np.stack([game.table.leader_means, game.table.follower_means])
    increments = np.diff(counts, prepend=0).reshape(-1, 1, 1, 1)
    # Replicates last, as ours: numpy prepares a binomial once for equal parameters that follow each other.
    shape = (len(counts), *means.shape, REPLICATES)
    draws = np.moveaxis(rng.binomial(increments[..., None], means[..., None], size=shape), -1, 0)
    sums = draws.cumsum(axis=1)
    leader, follower = sums[:, :, 0], sums[:, :, 1]
    behind = follower.max(axis=-1, keepdims=True) - follower
    members = behind <= np.floor(0.75 * epsilon * counts).reshape(-1, 1, 1)
    found = []
    for pessimistic in (True, False):
        if pessimistic:
            responses = np.where(members, leader, np.inf).argmin(axis=-1)
        else:
            responses = np.where(members, leader, -np.inf).argmax(axis=-1)
        values = np.take_along_axis(leader, responses[..., None], axis=-1)[..., 0]
        rows = values.argmax(axis=-1)
        chosen = np.take_along_axis(responses, rows[..., None], axis=-1)[..., 0]
        tie = "pessimistic" if pessimistic else "optimistic"
        exact = sb.leader_values(game, 0.0, tie)
        robust = sb.leader_values(game, epsilon / 2 if pessimistic else 0.0, tie)
        wanted = sb.stackelberg_value(game, 0.0, tie) - sb.gap(game, epsilon, tie) - epsilon
        behind_best = means[1].max(axis=1)[rows] - means[1][rows, chosen]
        failed = (robust[rows] < wanted - 1e-9) | (behind_best > epsilon + 1e-9)
        found += [failed.mean(axis=0), (exact.max() - exact[rows]).mean(axis=0)]
    return found


def main() -> None:
    game = sb.load_game("bandit/random", num_leader_actions=10, num_follower_actions=10)
    learner = Paper()
    schedule = learner.schedule(game.sampler, LadderBudget(epsilon=0.1))
    trial = Trial(game, learner, schedule, tuple(TieBreaking), REPLICATES, seed=0)
    counts = np.array(schedule.counts)
    ratios, ours, theirs = [], [], []
    for repeat in range(REPEATS + 1):
        first = _seconds(lambda seed=repeat: bare_numpy(game, counts, 0.1, seed))
        second = _seconds(lambda: whole_trial(trial.assignment, game))
        if repeat:  # the first one warms up
            theirs.append(first)
            ours.append(second)
            ratios.append(second / first)
    print(
        f"| cell | ours, ms | bare numpy, ms | ratio (median of {REPEATS}) | best/best |\n"
        "|---|---|---|---|---|"
    )
    print(
        f"| bandit 10 x 10, {REPLICATES} replicates, {len(counts)} rungs, both tie-breakings "
        f"| {1e3 * statistics.median(ours):.0f} | {1e3 * statistics.median(theirs):.0f} "
        f"| {statistics.median(ratios):.2f} | {min(ours) / min(theirs):.2f} |"
    )


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
