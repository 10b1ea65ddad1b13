"""Events of draws against known probabilities: a binomial tail, and a learner that guesses or knows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from stackel_bench.claims.case import Case
from stackel_bench.claims.exact_value import EVENTS, drawn_share
from stackel_bench.claims.prediction import Prediction
from stackel_bench.claims.quantities.draws import DRAWS
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


def test_a_response_between_the_tolerance_and_eps_is_lost_as_often_as_the_means_say() -> None:
    """One risky row, its worse response 0.9 eps behind, and the safe row's tie: two pairs of binomials."""
    epsilon, scale = 0.2, 0.02
    one = case("bandit/trap", ScaledBudget(epsilon=epsilon, delta=0.05, scale=scale), num_risky=1, lead=0.18)
    pulls = round(math.ceil(32 * math.log(4 * 4 / 0.05) / epsilon**2) * scale)
    ones = np.arange(pulls + 1)
    better, worse, same = (binom.pmf(ones, pulls, p) for p in (0.59, 0.41, 0.5))
    apart = np.subtract.outer(ones, ones) > 0.75 * epsilon * pulls
    lost = better @ (apart | apart.T) @ worse  # whichever of the two is far behind: both belong to BR_eps
    tied = same @ (apart | apart.T) @ same
    wanted = 1 - (1 - lost) * (1 - tied)
    share = EVENTS["whole_set_is_lost"](one).mean()
    assert 0.3 < wanted < 0.99
    assert abs(share - wanted) <= SIGMAS * math.sqrt(wanted * (1 - wanted) / DRAWS)


def test_near_maximisers_are_judged_like_the_learner_that_picks_the_worst_of_them() -> None:
    """With estimates that are exact nothing fails; with one pull of each pair most draws do."""
    exact = ScaledBudget(epsilon=0.1, delta=0.05, scale=1e6)
    assert not EVENTS["near_maximiser_fails"](case("simultaneous/indifference", exact)).any()
    starved = ScaledBudget(epsilon=0.1, delta=0.05, scale=1e-9)
    assert EVENTS["near_maximiser_fails"](case("simultaneous/explicit", starved)).mean() > 0.5


def test_other_seeds_draw_other_samples() -> None:
    budget = ScaledBudget(epsilon=0.2, delta=0.05, scale=0.02)
    game = load_game("bandit/trap", num_risky=1, lead=0.1)
    first, second = (Case(game, budget, TieBreaking.PESSIMISTIC, seed) for seed in (0, 1))
    assert (EVENTS["sandwich_fails"](first) != EVENTS["sandwich_fails"](second)).any()


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
