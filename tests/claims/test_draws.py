"""Events of draws against known probabilities: a binomial tail, and a learner that guesses or knows."""

from __future__ import annotations

import math

import pytest
from scipy.stats import binom

from stackel_bench.claims.case import Case
from stackel_bench.claims.exact_value import drawn_share
from stackel_bench.claims.prediction import Prediction
from stackel_bench.claims.quantities.draws import DRAWS, EVENTS
from stackel_bench.errors import InputError
from stackel_bench.families.games import load_game
from stackel_bench.learners.budget import Budget, FixedBudget, ScaledBudget
from stackel_bench.models import TieBreaking

SIGMAS = 5  # standard deviations that a share may be off


def case(name: str, budget: Budget, **parameters: object) -> Case:
    return Case(load_game(name, **parameters), budget, TieBreaking.PESSIMISTIC)


def test_the_sandwich_fails_as_often_as_two_binomials_differ_by_too_much() -> None:
    """One risky row with lead eps/2: its worse response is lost where the means differ by more than 3 eps/4.

    The safe row's exact tie is lost where they differ by so much in either direction.
    """
    epsilon, scale = 0.2, 0.02
    one = case("bandit/trap", ScaledBudget(epsilon=epsilon, delta=0.05, scale=scale), num_risky=1, lead=0.1)
    pulls = round(math.ceil(32 * math.log(4 * 4 / 0.05) / epsilon**2) * scale)
    chances = [binom.pmf(range(pulls + 1), pulls, p) for p in (0.55, 0.45, 0.5)]
    margin = 0.75 * epsilon * pulls
    lost = tied = 0.0
    for ones, (first, same) in enumerate(zip(chances[0], chances[2], strict=True)):
        near = [other for other in range(pulls + 1) if other >= ones - margin]
        lost += first * (1 - chances[1][near].sum())
        tied += same * (1 - chances[2][[other for other in near if other <= ones + margin]].sum())
    wanted = 1 - (1 - lost) * (1 - tied)
    share = EVENTS["sandwich_fails"](one).mean()
    assert 0.05 < wanted < 0.95
    assert abs(share - wanted) <= SIGMAS * math.sqrt(wanted * (1 - wanted) / DRAWS)


def test_the_informed_learner_guesses_with_nothing_to_go_by_and_is_right_with_enough() -> None:
    """With a lead of next to nothing it is wrong 5 times in 6; with very many samples never."""
    blind = case("bandit/lower_bound", FixedBudget(epsilon=1e-6, delta=0.05, samples=54), epsilon=1e-6)
    share = EVENTS["informed_learner_errs"](blind).mean()
    assert abs(share - 5 / 6) <= SIGMAS * math.sqrt(5 / 36 / DRAWS)
    rich = case("bandit/lower_bound", FixedBudget(epsilon=0.1, delta=0.05, samples=54_000))
    assert not EVENTS["informed_learner_errs"](rich).any()


def test_mistakes_are_named() -> None:
    poor = case("bandit/lower_bound", FixedBudget(epsilon=0.1, delta=0.05, samples=5))
    with pytest.raises(InputError, match=r"budget\.samples"):
        EVENTS["informed_learner_errs"](poor)
    with pytest.raises(InputError, match="event"):
        drawn_share([poor], Prediction(0, 1), 1e-4, event="luck")
