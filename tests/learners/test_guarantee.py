"""Promises: what each learner declares, and that it is judged by that and by nothing else."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import stackel_bench as sb
from stackel_bench.errors import InputError
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.learners import make_learner
from stackel_bench.families.registry import all_families
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.guarantee import NOT_ROBUST, NOTHING, PAPER, Guarantee, Line, guarantee_of
from stackel_bench.models import PayoffTable, TieBreaking

LEARNERS = {family.name: family.learners for family in all_families()}

EVERYTHING = frozenset(Line)
NO_THEOREM = {"plug_in", "nash"}
NO_ROBUSTNESS = {"half_tolerance", "anytime", "margin"}


@pytest.mark.parametrize(
    ("family", "name"), [(family, name) for family, names in LEARNERS.items() for name in names]
)
def test_every_learner_says_what_it_promises(family: str, name: str) -> None:
    found = guarantee_of(make_learner(family, name))
    assert found.promised == (name not in NO_THEOREM)
    expected = EVERYTHING - {Line.ROBUSTNESS} if name in NO_ROBUSTNESS else EVERYTHING
    assert set(found.lines) == expected


def test_options_change_the_promise() -> None:
    assert guarantee_of(make_learner("simultaneous", "margin", robust_margin=True)).lines == tuple(Line)
    assert not guarantee_of(make_learner("simultaneous", "paper", printed_lp=True)).promised  # erratum 1
    for explorer, proved in {"rf_ucrl": True, "reward_free_explore": True, "uniform": False}.items():
        assert guarantee_of(make_learner("bandit_rl", "paper", explorer=explorer)).promised == proved


def test_a_learner_of_ones_own() -> None:
    """Without a declaration it has the paper's lines to meet, and promises nothing."""
    assert guarantee_of(object()) is NOTHING
    assert NOTHING.lines == PAPER.lines
    with pytest.raises(InputError, match="guarantee: found"):
        guarantee_of(type("Mine", (), {"guarantee": "all"})())


@pytest.mark.parametrize("lines", [(), (Line.ROBUSTNESS,), ("robustness", "follower")])
def test_promises_that_make_no_sense(lines: tuple[Line, ...]) -> None:
    with pytest.raises(InputError, match=r"guarantee\.lines"):
        Guarantee(lines)


# One leader action has a second response at distance 0.05: within eps/2 of the best, and worth nothing to the
# leader. Against an exact follower it is the best commitment, against one who errs by eps/2 the worst.
FRAGILE = BanditGame(PayoffTable(np.array([[1.0, 0.0], [0.75, 0.75]]), np.array([[1.0, 0.9375], [1.0, 0.0]])))


def test_half_tolerance_is_not_judged_by_the_line_that_it_does_not_promise() -> None:
    """Row 0 loses nothing (phi_0 = 1), but phi at eps/2 = 0.1 is 0 < 0.75 - 0.2."""
    choice = Decision(TieBreaking.PESSIMISTIC, 0, None, 0, 1.0, 1)
    for guarantee, held in ((NOT_ROBUST, True), (PAPER, False), (NOTHING, False)):
        verdict = sb.evaluate(FRAGILE, dataclasses.replace(choice, guarantee=guarantee), 0.2)
        assert verdict.value_suboptimality == 0.0
        assert verdict.loss_guarantee_held
        assert verdict.robustness_guarantee_held is False
        assert verdict.guarantee_held == held


def test_decisions_carry_the_promise_of_their_learner() -> None:
    """Learned for eps = 0.1, where the second response is out of reach, and judged at 0.2, where not."""
    found = []
    for seed in range(60):
        result = sb.learn(FRAGILE, "half_tolerance", epsilon=0.1, budget="fixed", samples=8000, seed=seed)
        assert result.guarantee == NOT_ROBUST
        verdict = sb.evaluate(FRAGILE, result, 0.2)
        found.append((verdict.loss_guarantee_held, verdict.robustness_guarantee_held))
        assert verdict.guarantee_held == (verdict.loss_guarantee_held and verdict.follower_guarantee_held)
    assert (True, False) in found


def test_slacks_are_the_learners_own() -> None:
    """The same decision under tolerances of its own: robust against eps/4 only, and a tenth of the loss."""
    choice = Decision(TieBreaking.PESSIMISTIC, 0, None, 0, 1.0, 1)
    mild = dataclasses.replace(choice, guarantee=Guarantee(robust_slack=0.25))
    assert sb.evaluate(FRAGILE, mild, 0.2).guarantee_held  # 0.05 < 0.0625, the second response's distance
    strict = Decision(TieBreaking.PESSIMISTIC, 1, None, 1, 1.0, 1, guarantee=Guarantee(follower_slack=10.0))
    assert sb.evaluate(FRAGILE, strict, 0.2).follower_guarantee_held
    assert sb.evaluate(FRAGILE, strict, 0.2).guarantee == sb.gap(FRAGILE, 0.2) + 0.2
