"""The blocked response scan against loops over all pairs, exact on dyadic features."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models import TieBreaking
from stackel_bench.models.feature_source import CallableFeatures
from stackel_bench.models.linear_model import LinearModel
from stackel_bench.planning import finite
from stackel_bench.planning.finite import linear_follower_losses, linear_leader_values

RULES = [(slack, rule) for slack in (0.0, 0.25, 1.0) for rule in TieBreaking]


def _by_enumeration(
    features: np.ndarray, leader: np.ndarray, follower: np.ndarray, slack: float, tie_breaking: TieBreaking
) -> tuple[list[Fraction], list[int]]:
    """Values and lowest responses in rational arithmetic, pair by pair."""

    def mean(row: np.ndarray, parameters: np.ndarray) -> Fraction:
        return sum(
            (Fraction(float(x)) * Fraction(float(t)) for x, t in zip(row, parameters, strict=True)),
            Fraction(0),
        )

    values, responses = [], []
    for block in features:
        replies = [mean(row, follower) for row in block]
        allowed = [b for b, reply in enumerate(replies) if max(replies) - reply <= Fraction(slack)]
        payoffs = {b: mean(block[b], leader) for b in allowed}
        pick = min if tie_breaking is TieBreaking.PESSIMISTIC else max
        value = pick(payoffs.values())
        values.append(value)
        responses.append(min(b for b in allowed if payoffs[b] == value))
    return values, responses


def test_dyadic_games_equal_rational_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    # 100 games x 6 rules, full of ties: features and parameters are small multiples of 1/4.
    for seed in range(100):
        rng = np.random.default_rng(seed)
        shape = tuple(int(size) for size in rng.integers(1, 7, 3))
        features = rng.integers(-2, 3, shape) / 4
        leader, follower = rng.integers(-2, 3, (2, shape[2])) / 4
        monkeypatch.setattr(finite, "BLOCK_ELEMENTS", int(rng.integers(1, 200)))
        for rule in RULES:
            answer = linear_leader_values(features, leader, follower, *rule)
            values, responses = _by_enumeration(features, leader, follower, *rule)
            assert answer.values.tolist() == [float(value) for value in values]
            assert answer.responses.tolist() == responses


def test_equal_rows_tie_to_the_lowest_index() -> None:
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((3, 33))
    features = rows[rng.integers(3, size=(50, 21))]
    leader, follower = rng.standard_normal((2, 33))
    for rule in TieBreaking:
        answer = linear_leader_values(features, leader, follower, 0.0, rule)
        best = (features @ follower).argmax(axis=1)
        for a in range(50):
            equal = (features[a] == features[a, best[a]]).all(axis=1)
            assert answer.responses[a] == equal.argmax()


def test_sources_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    features = rng.standard_normal((37, 9, 7))
    leader, follower = rng.standard_normal((2, 7))
    wanted = [linear_leader_values(features, leader, follower, *rule) for rule in RULES]
    monkeypatch.setattr(finite, "BLOCK_ELEMENTS", 100)
    for source in (
        features,
        np.asfortranarray(features),
        CallableFeatures(features.shape, lambda i, j: features[i:j].copy()),
    ):
        for rule, expected in zip(RULES, wanted, strict=True):
            answer = linear_leader_values(source, leader, follower, *rule)
            np.testing.assert_array_equal(answer.values, expected.values)
            np.testing.assert_array_equal(answer.responses, expected.responses)


def test_values_are_ordered_by_slack_and_rule() -> None:
    rng = np.random.default_rng(3)
    features = rng.standard_normal((60, 12, 5))
    parameters = rng.standard_normal((2, 5))
    low0, high0, low, high = (
        linear_leader_values(features, *parameters, slack, rule).values
        for slack in (0.0, 0.7)
        for rule in TieBreaking
    )
    assert (low <= low0).all()
    assert (low0 <= high0).all()
    assert (high0 <= high).all()


def test_means_are_sums_in_the_order_of_the_coordinates() -> None:
    """Bit for bit what a loop in Python adds up, in every dimension and block."""
    rng = np.random.default_rng(4)
    for dimension in (1, 2, 3, 7, 20, 51):
        features = rng.standard_normal((6, 11, dimension))
        leader, follower = rng.standard_normal((2, dimension))
        answer = linear_leader_values(features, leader, follower, 100.0, "pessimistic")
        sums = np.zeros((6, 11))
        for k in range(dimension):
            sums += features[:, :, k] * leader[k]
        np.testing.assert_array_equal(answer.values, sums.min(axis=1))


def test_the_follower_loses_the_distance_to_its_best_mean() -> None:
    rng = np.random.default_rng(5)
    features = rng.integers(-4, 5, (5, 6, 3)) / 4
    model = LinearModel(features, rng.integers(-4, 5, 3) / 4, rng.integers(-4, 5, 3) / 4)  # type: ignore[arg-type]
    means = (features * model.follower_parameters).sum(axis=2)  # exact: few dyadic digits
    for a in range(5):
        for b in range(6):
            assert linear_follower_losses(model, a, np.array(b)) == means[a].max() - means[a, b]


def test_tolerance_joins_rounding_differences_and_zero_keeps_them() -> None:
    features = np.array([[[1.0, 0.0], [1.0 - 1e-12, 1.0], [0.5, 2.0]]])
    leader, follower = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    joined = linear_leader_values(features, leader, follower, 0.0, "optimistic")
    strict = linear_leader_values(features, leader, follower, 0.0, "optimistic", tolerance=0.0)
    assert (joined.responses[0], strict.responses[0]) == (1, 0)


@pytest.mark.parametrize("slack", [-0.1, float("nan"), float("inf")])
def test_bad_slack_is_named(slack: float) -> None:
    with pytest.raises(InputError, match="slack"):
        linear_leader_values(np.ones((1, 1, 1)), [1.0], [1.0], slack, "pessimistic")


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="tie_breaking"):
        linear_leader_values(np.ones((1, 1, 1)), [1.0], [1.0], 0.0, "neutral")
    with pytest.raises(InputError, match=r"follower_parameters\.shape"):
        linear_leader_values(np.ones((1, 1, 1)), [1.0], [1.0, 2.0], 0.0, "pessimistic")
