"""Trials that take milliseconds, one of each family, and learners that go wrong on purpose.

Importable by name, so that Ray's workers can unpickle what is defined here.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import stackel_bench as sb
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.bandit.learners import Paper
from stackel_bench.families.learners import make_learner
from stackel_bench.games.game import Game
from stackel_bench.learners.budget import Budget, LadderBudget, TheoryBudget
from stackel_bench.learners.decision import Decisions
from stackel_bench.learners.learner import Learner, Schedule, StreamKey
from stackel_bench.models import TieBreaking
from stackel_bench.trials.trial import Failure, Outcomes, Trial

SMALL_GAMES: dict[str, dict[str, Any]] = {
    "bandit/random": {"num_leader_actions": 3, "num_follower_actions": 4},
    "bandit_rl/random": {
        "num_leader_actions": 3,
        "num_follower_actions": 2,
        "num_states": 2,
        "horizon": 2,
    },
    "linear/random": {"num_leader_actions": 4, "num_follower_actions": 3, "dimension": 3},
    "simultaneous/random": {"num_leader_actions": 3, "num_follower_actions": 3},
}
LADDER = LadderBudget(epsilon=0.25, samples=3000, rungs=3)


def trial_of(game: Game, learner: Learner, replicates: int = 3, budget: Budget = LADDER) -> Trial:
    schedule = learner.schedule(game.sampler, budget)
    return Trial(game, learner, schedule, tuple(TieBreaking), replicates, seed=11)


def small_trials(replicates: int = 3) -> list[Trial]:
    """Two of each family."""
    games = [sb.load_game(name, **parameters) for name, parameters in SMALL_GAMES.items()]
    return [
        trial_of(game, make_learner(game.family, algorithm), replicates)
        for game in games
        for algorithm in ("paper", "plug_in")
    ]


def bandit_trials(replicates: int = 3) -> list[Trial]:
    """The quickest ones: eight bandit games."""
    game = sb.load_game("bandit/random", **SMALL_GAMES["bandit/random"])
    rules = ("paper", "plug_in", "half_tolerance", "anytime")
    return [
        trial_of(game, make_learner("bandit", rule), replicates, budget)
        for rule in rules
        for budget in (LADDER, TheoryBudget(epsilon=0.5))
    ]


class LostGame(BanditGame):
    """A game that no worker can unpickle."""

    def __reduce__(self) -> Any:
        return _lost, (self.name,)


def _lost(name: str) -> None:
    raise ValueError(f"{name} did not arrive")


@dataclass(frozen=True)
class FaultyLearner:
    """A bandit learner that raises or kills its process while exploring unit 1, or raises when deciding."""

    fault: str
    name: str = "faulty"

    @property
    def _sound(self) -> Paper:
        return Paper()

    def schedule(self, sampler: Any, budget: Budget) -> Schedule:
        return self._sound.schedule(sampler, budget)

    def explore_block(self, sampler: Any, schedule: Schedule, unit: int, key: StreamKey) -> Any:
        if self.fault == "raise" and unit == 1:
            raise RuntimeError("unit 1 exploded")
        if self.fault == "exit" and unit == 1:
            os._exit(3)
        return self._sound.explore_block(sampler, schedule, unit, key)

    def decide_block(
        self, sampler: Any, schedule: Schedule, findings: Sequence[Any], tie_breaking: TieBreaking
    ) -> Decisions:
        if self.fault == "decide":
            raise ValueError("no decision")
        return self._sound.decide_block(sampler, schedule, findings, tie_breaking)


def faulty_trial(fault: str, replicates: int = 3) -> Trial:
    game = sb.load_game("bandit/random", **SMALL_GAMES["bandit/random"])
    return trial_of(game, FaultyLearner(fault), replicates)


def numbers(outcomes: Outcomes | Failure) -> Any:
    """Everything that a trial's outcome says, comparable bit for bit."""
    if isinstance(outcomes, Failure):
        return outcomes.message
    return {
        tie: (
            outcome.records.to_parquet(),
            outcome.actions.to_parquet(),
            repr(sorted(outcome.metrics.items())),
            repr(outcome.rungs),
        )
        for tie, outcome in outcomes.items()
    }
