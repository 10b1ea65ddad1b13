"""What learners that stop have in common in every family: caps, one rung, an error where they do not stop."""

from __future__ import annotations

from typing import Any

import pytest

import stackel_bench as sb
from stackel_bench.errors import InputError
from stackel_bench.families.learners import make_learner
from stackel_bench.learners.budget import FixedBudget, LadderBudget
from stackel_bench.learners.certified import learner as shared
from stackel_bench.models import TieBreaking
from tests.replicates import decide

SMALL = {"num_leader_actions": 3, "num_follower_actions": 2}
GAMES: dict[str, tuple[str, dict[str, int], int]] = {  # with a cap below the first batch
    "bandit": ("trap", {}, 9),
    "bandit_rl": ("random", {**SMALL, "num_states": 2, "horizon": 2}, 2),
    "linear": ("random", {**SMALL, "dimension": 3}, 2),
    "simultaneous": ("commitment", {}, 3),
}


def small(family: str) -> tuple[Any, int]:
    name, parameters, too_few = GAMES[family]
    return sb.load_game(f"{family}/{name}", **parameters), too_few


@pytest.mark.parametrize("tie", list(TieBreaking))
@pytest.mark.parametrize("family", GAMES)
def test_a_cap_ends_it_uncertified_and_a_ladder_is_one_rung(family: str, tie: TieBreaking) -> None:
    game, too_few = small(family)
    learner = make_learner(family, "certified")
    for budget, proven in ((FixedBudget(epsilon=0.1, samples=300), 0), (LadderBudget(epsilon=1.0), 1)):
        ((found,),) = decide(learner, game, learner.schedule(game.sampler, budget), 1, tie)
        assert found.diagnostics["certified"] == proven
        assert proven or found.samples <= 300
        assert found.actions == {} or found.actions["samples"].sum() == found.samples
    with pytest.raises(InputError, match=r"budget\.samples"):
        learner.schedule(game.sampler, FixedBudget(samples=too_few))


@pytest.mark.parametrize("family", GAMES)
def test_a_run_that_does_not_stop_raises(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared, "LARGEST", 0)
    with pytest.raises(RuntimeError, match="did not stop"):
        sb.learn(small(family)[0], "certified", epsilon=0.02)
