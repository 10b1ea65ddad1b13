"""Prints a digest of every number of small trials of all families: `python -m tests.sweeps.bits`.

Run under different processors' features, the lines must be equal: see tests/test_processors.py.
"""

from __future__ import annotations

import hashlib

import numpy as np

import stackel_bench as sb
from stackel_bench.families.bandit_rl.exploration.registry import EXPLORERS
from stackel_bench.families.learners import make_learner
from stackel_bench.families.registry import all_families
from stackel_bench.learners.budget import Budget, LadderBudget
from stackel_bench.models import TieBreaking
from stackel_bench.trials.pieces import whole_trial
from stackel_bench.trials.trial import Trial

LEARNERS = {family.name: family.learners for family in all_families()}

GAMES = {
    "bandit/random": {},
    "bandit_rl/taxation": {},
    "bandit_rl/random": {"num_states": 6, "horizon": 4},
    "linear/taxation": {},
    "linear/random": {"dimension": 7},
    "simultaneous/random": {"num_leader_actions": 4, "num_follower_actions": 5},
    "simultaneous/security": {},
}


def main() -> None:
    for name, parameters in GAMES.items():
        game = sb.load_game(name, **parameters)
        options = [{}]
        if game.family == "bandit_rl":
            options = [{"explorer": explorer} for explorer in EXPLORERS]
        for algorithm in LEARNERS[game.family]:
            for some in options if algorithm == "paper" else [{}]:
                learner = make_learner(game.family, algorithm, **some)
                budget: Budget = LadderBudget(epsilon=0.3, samples=30_000, rungs=3)
                schedule = learner.schedule(game.sampler, budget)
                trial = Trial(game, learner, schedule, tuple(TieBreaking), 4, seed=5)
                digest = hashlib.blake2b(digest_size=8)
                for outcome in whole_trial(trial.assignment, game).values():
                    for frame in (outcome.records, outcome.actions):
                        digest.update(frame.to_csv(float_format=None).encode())
                    digest.update(repr((sorted(outcome.metrics.items()), outcome.rungs)).encode())
                print(name, algorithm, *some.values(), digest.hexdigest(), flush=True)
    for states in (11, 16, 37, 70):  # long enough for vectors of any width
        game = sb.load_game("bandit_rl/random", num_states=states, num_leader_actions=3)
        for tie in TieBreaking:
            values = [sb.leader_values(game, slack, tie) for slack in (0.0, 0.1, 0.4)]
            print(
                "values", states, tie, hashlib.blake2b(np.stack(values).tobytes(), digest_size=8).hexdigest()
            )


if __name__ == "__main__":
    main()
