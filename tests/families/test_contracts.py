"""The contracts of tests/contracts.py on every learner, explorer and kind of budget of every family."""

from __future__ import annotations

from typing import Any

import pytest

import stackel_bench as sb
from stackel_bench.families.bandit_rl.exploration.registry import EXPLORERS
from stackel_bench.families.learners import make_learner
from stackel_bench.families.registry import all_families
from stackel_bench.learners.budget import Budget, FixedBudget, LadderBudget, ScaledBudget, TheoryBudget
from tests.contracts import check_learner

LEARNERS = {family.name: family.learners for family in all_families()}

GAMES: dict[str, dict[str, Any]] = {
    "bandit/random": {"num_leader_actions": 3, "num_follower_actions": 4},
    "bandit_rl/random": {
        "num_leader_actions": 2,
        "num_follower_actions": 2,
        "num_states": 2,
        "horizon": 2,
    },
    "linear/random": {"num_leader_actions": 4, "num_follower_actions": 3, "dimension": 3},
    "simultaneous/random": {"num_leader_actions": 3, "num_follower_actions": 3},
}
BUDGETS = {
    "theory": TheoryBudget(epsilon=0.5),
    "scaled": ScaledBudget(epsilon=0.5, scale=0.013),
    "fixed": FixedBudget(epsilon=0.5, samples=1009),
    "ladder": LadderBudget(epsilon=0.5, samples=3001, rungs=4),
    "theory ladder": LadderBudget(epsilon=0.5, scale=0.5, rungs=3, ratio=8.0),
}
LEARNER_CASES: list[tuple[str, str, dict[str, Any]]] = [
    (name, algorithm, {})
    for name in GAMES
    for algorithm in LEARNERS[name.split("/")[0]]
    if not name.startswith("bandit_rl")
]
LEARNER_CASES += [("bandit_rl/random", "paper", {"explorer": explorer}) for explorer in EXPLORERS]
LEARNER_CASES += [
    ("bandit_rl/random", "plug_in", {}),
    ("bandit_rl/random", "certified", {}),
    ("simultaneous/random", "paper", {"printed_lp": True}),
]


@pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
@pytest.mark.parametrize(
    ("name", "algorithm", "options"), LEARNER_CASES, ids=lambda v: v if isinstance(v, str) else str(v)
)
def test_contract(name: str, algorithm: str, options: dict[str, Any], budget: Budget) -> None:
    game = sb.load_game(name, **GAMES[name])
    learner = make_learner(game.family, algorithm, **options)
    check_learner(learner, game, budget)


@pytest.mark.parametrize("name", [name for name in GAMES if not name.startswith("bandit_rl")])
def test_gaussian_rewards_keep_the_contract(name: str) -> None:
    game = sb.load_game(name, **GAMES[name], noise="gaussian", noise_scale=2.0)
    for algorithm in LEARNERS[game.family]:
        check_learner(make_learner(game.family, algorithm), game, BUDGETS["ladder"])
