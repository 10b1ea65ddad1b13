"""Exact quantities against enumeration, closed forms and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from stackel_bench.claims.case import Case
from stackel_bench.claims.claim import load_claim
from stackel_bench.claims.exact_value import QUANTITIES, exact_share, exact_value
from stackel_bench.claims.prediction import Prediction
from stackel_bench.errors import InputError
from stackel_bench.families.games import load_game
from stackel_bench.learners.budget import TheoryBudget
from stackel_bench.models import TieBreaking
from stackel_bench.planning.design.core_set import core_set


def case(name: str, epsilon: float = 0.1, tie: str = "pessimistic", **parameters: object) -> Case:
    return Case(load_game(name, **parameters), TheoryBudget(epsilon=epsilon), TieBreaking.parse(tie))


def value(quantity: str, one: Case) -> float:
    found = QUANTITIES[quantity](one)
    return found if isinstance(found, float | int) else found.low


def test_nash_quantities_against_all_follower_policies() -> None:
    """Best Nash value of the turn-based game by trying every follower policy of small games with ties."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        leader, follower = rng.integers(0, 3, size=(2, 3, 2)) / 2
        one = case("bandit/explicit", leader_means=leader, follower_means=follower, tie="optimistic")
        values = []
        for policy in itertools.product(range(2), repeat=3):
            payoffs = leader[np.arange(3), policy]
            values += [
                payoffs[row]
                for row in range(3)
                if payoffs[row] == payoffs.max() and follower[row, policy[row]] == follower[row].max()
            ]
        stackelberg = max(leader[row][follower[row] == follower[row].max()].max() for row in range(3))
        assert value("best_nash_over_stackelberg", one) == max(values) - stackelberg
        assert value("values_apart_of_nash", one) == max(values) - min(values)
        assert value("nash_gap_of_stackelberg", one) == 0.0


def test_rows_that_violate_are_those_a_judge_would_refuse() -> None:
    one = case("bandit/lower_bound", bump=1.5)
    assert value("rows_that_violate", one) == 5.0
    assert value("worst_row_excess", one) == pytest.approx(0.05)
    assert value("rows_that_violate", case("bandit/lower_bound", bump=1.0)) == 0.0


def test_tails_against_simulation() -> None:
    """Failure probability of the uniform event, simulated with 4000 tables at a starved N = 400.

    The closed form is checked through the printed noise bound, whose probability is large enough to see:
    |rate - p| <= 5 standard deviations (false alarm 6e-7).
    """
    one = case("linear/random", dimension=5)
    exact = value("printed_noise_bound_fails", one)
    points = 9
    for points in range(5, 40):
        threshold = math.sqrt(math.log(2 * points / 0.05))
        tail = math.erfc(threshold / math.sqrt(2))
        if abs(1 - (1 - tail) ** (2 * points) - exact) < 1e-12:
            break
    else:
        raise AssertionError("no number of core points explains the probability")
    rng = np.random.default_rng(0)
    worst = np.abs(rng.standard_normal((4000, 2 * points))).max(axis=1)
    rate = (worst > math.sqrt(math.log(2 * points / 0.05))).mean()
    assert abs(rate - exact) <= 5 * math.sqrt(exact / 4000)
    assert value("corrected_noise_bound_fails", one) < 0.05 < exact


def test_weights_of_a_prediction_are_those_of_weighted_least_squares() -> None:
    """Weighted least squares on unit means, one core point at a time, predicts by these weights."""
    one = case("linear/random", dimension=3, num_leader_actions=4, num_follower_actions=3)
    design, features = core_set(one.model.features), one.model.features
    points, rows = features.pairs(design.indices), features.pairs(np.arange(12))
    roots = np.sqrt(design.weights)[:, None]
    fitted = np.linalg.lstsq(points * roots, np.eye(len(points)) * roots, rcond=None)[0]
    weights = rows @ fitted
    absolute = np.abs(weights).sum(axis=1)
    assert value("weights_over_their_sum", one) == pytest.approx((absolute / abs(weights.sum(axis=1))).max())
    assert value("weights_over_root", one) == pytest.approx(absolute.max() / math.sqrt(6))


def test_hoeffding_holds_at_n_and_not_below() -> None:
    one = case("bandit/random", epsilon=0.3)
    pulls = math.ceil(32 * math.log(4 * 100 / 0.05) / 0.3**2)
    assert value("hoeffding_bound", one) == pytest.approx(400 * math.exp(-2 * pulls * (0.3 / 8) ** 2) / 0.05)
    assert value("hoeffding_bound", one) <= 1 < 400 * math.exp(-2 * (pulls - 1) * (0.3 / 8) ** 2) / 0.05


def test_response_sets_of_a_segment() -> None:
    """Convex where there are two responses only; the erratum's example is not."""
    two = case("simultaneous/commitment", epsilon=0.25)
    assert value("middle_outside_cell", two) == 0.0
    (erratum,) = load_claim("erratum-10-cells").measurements
    assert erratum.prediction.verdict(1.0, 1.0) == "confirmed"


def test_exact_values_name_the_worst_case_and_shares_have_intervals() -> None:
    cases = [case("bandit/gap", epsilon=e) for e in (0.01, 0.2)]
    found = exact_value(cases, Prediction(0.5, 0.5), 1e-4, quantity="gap")
    assert found.verdict == "refuted"  # at 0.01 the follower's preference, 0.05, is still seen
    assert found.value == 0.0
    share = exact_share(cases, Prediction(0, 1), 1e-4, quantity="gap", above=0.1)
    assert (share.value, share.low > 0, share.high < 1) == (0.5, True, True)
    with pytest.raises(InputError, match="quantity"):
        exact_value(cases, Prediction(0, 1), 1e-4, quantity="charm")
