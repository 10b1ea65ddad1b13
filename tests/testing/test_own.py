"""Every game, learner and explorer of this package keeps the contract that others are held to."""

from __future__ import annotations

from typing import Any

import pytest

import stackel_bench as sb
from stackel_bench.families.games import default_parameters, game_names
from stackel_bench.families.learners import make_learner
from stackel_bench.families.registry import all_explorers, all_families, family_of
from stackel_bench.learners.budget import FixedBudget, LadderBudget, ScaledBudget, TheoryBudget

CASES: list[tuple[str, str, dict[str, Any]]] = [
    *((family.name, name, {}) for family in all_families() for name in family.learners),
    *(("bandit_rl", "paper", {"explorer": name}) for name in all_explorers()),
    ("simultaneous", "paper", {"printed_lp": True}),
]
BUDGETS = (
    TheoryBudget(epsilon=0.5),
    ScaledBudget(epsilon=0.5, scale=0.013),
    FixedBudget(epsilon=0.5, samples=1009),
    LadderBudget(epsilon=0.5, samples=3001, rungs=4),
    LadderBudget(epsilon=0.5, scale=0.5, rungs=3, ratio=8.0),
)
# Games that read a file or somebody's code have a parameter without a default.
GAMES = [name for name in game_names() if not {"path", "make", "simulate"} & set(default_parameters(name))]


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize(("family", "name", "options"), CASES, ids=str)
def test_learners(family: str, name: str, options: dict[str, Any], budget: Any) -> None:
    assert sb.testing.check_learner(make_learner(family, name, **options), family, budgets=[budget]).passed


@pytest.mark.parametrize(("family", "name"), [case[:2] for case in CASES if case[0] != "bandit_rl"])
def test_learners_of_gaussian_rewards(family: str, name: str) -> None:
    contract = family_of(family).contract
    assert contract is not None
    game = sb.load_game(contract.game, **contract.parameters, noise="gaussian", noise_scale=2.0)
    assert sb.testing.check_learner(make_learner(family, name), game=game, budgets=[BUDGETS[3]]).passed


@pytest.mark.parametrize("name", all_explorers())
def test_explorers(name: str) -> None:
    assert sb.testing.check_explorer(all_explorers()[name]).passed


@pytest.mark.parametrize("name", GAMES)
def test_games(name: str) -> None:
    assert sb.testing.check_game(name).passed
