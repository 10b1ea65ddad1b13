"""Every game, learner and explorer of this package keeps the contract that others are held to."""

from __future__ import annotations

import pytest

import stackel_bench as sb
from stackel_bench.families.games import default_parameters, game_names
from stackel_bench.families.learners import make_learner
from stackel_bench.families.registry import all_explorers, all_families

LEARNERS = [(family.name, name) for family in all_families() for name in family.learners]
# Games that read a file or somebody's code have a parameter without a default.
GAMES = [name for name in game_names() if not {"path", "make", "simulate"} & set(default_parameters(name))]


@pytest.mark.parametrize(("family", "name"), LEARNERS)
def test_learners(family: str, name: str) -> None:
    report = sb.testing.check_learner(make_learner(family, name), family)
    assert report.passed


@pytest.mark.parametrize("name", all_explorers())
def test_explorers(name: str) -> None:
    assert sb.testing.check_explorer(all_explorers()[name]).passed
    assert sb.testing.check_learner(make_learner("bandit_rl", "paper", explorer=name), "bandit_rl").passed


@pytest.mark.parametrize("name", GAMES)
def test_games(name: str) -> None:
    assert sb.testing.check_game(name).passed
