"""Cells of real learners, run in this process, and whether one lies inside the interval of another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import stackel_bench as sb
from stackel_bench.families.learners import make_learner
from stackel_bench.learners.budget import LadderBudget
from stackel_bench.models import TieBreaking
from stackel_bench.trials.pieces import whole_trial
from stackel_bench.trials.trial import Trial

Metrics = Mapping[str, float]


def run_cell(game_name: str, algorithm: str, replicates: int, seed: int) -> dict[TieBreaking, Metrics]:
    """The headline numbers of both tie-breakings at eps = 0.2, delta = 0.05, ten rungs of ratio 2."""
    game = sb.load_game(game_name)
    learner = make_learner(game.family, algorithm)
    schedule = learner.schedule(game.sampler, LadderBudget(epsilon=0.2, rungs=10, ratio=2.0))
    trial = Trial(game, learner, schedule, tuple(TieBreaking), replicates, seed)
    return {tie: outcome.metrics for tie, outcome in whole_trial(trial.assignment, game).items()}


def lies_inside(small: Metrics, large: Metrics) -> bool:
    """Whether the large cell's samples needed are inside the small one's interval.

    More than its largest budget is inside only if the interval is open above, at most its smallest one only
    if it is open below.
    """
    low, high = small.get("samples_needed_low", -math.inf), small.get("samples_needed_high", math.inf)
    if large["censored"]:
        return high == math.inf
    if large["at_most"]:
        return low == -math.inf
    return low <= large["sample_complexity"] <= high


def pairs(
    game: str, algorithm: str, replicates: int, cells: int
) -> Iterator[dict[TieBreaking, tuple[Metrics, Metrics]]]:
    """A cell and the same one with ten times the replicates, so many times, always other random numbers."""
    for seed in range(0, 2 * cells, 2):
        small = run_cell(game, algorithm, replicates, seed)
        large = run_cell(game, algorithm, 10 * replicates, seed + 1)
        yield {tie: (small[tie], large[tie]) for tie in TieBreaking}
