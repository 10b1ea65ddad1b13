"""The pessimistic commitment against rational breakpoints, subset enumeration and a mixed-integer program."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models import PayoffTable
from stackel_bench.planning.mixed.pessimistic import CertifiedCommitment, worst_case_mixed_leader_strategy
from stackel_bench.planning.mixed.value import dyadic_strategy
from stackel_bench.streams import generator
from stackel_bench.tolerances import ATTAINED
from tests.simplex_references import (
    FAMILIES,
    TwoActionGame,
    as_floats,
    maximise,
    pessimistic_milp,
    pessimistic_supremum,
    pointwise_value,
    random_game,
    with_mixed_rows,
)

CONITZER = PayoffTable(np.array([[2, 4], [1, 3]]) / 4, np.array([[1.0, 0.0], [0.0, 1.0]]))


def assert_certified(
    table: PayoffTable, found: CertifiedCommitment, slack: float, accuracy: float, supremum: float
) -> None:
    """The interval holds the supremum, is narrow, and its lower end is what the strategy earns."""
    assert found.finished
    assert found.value - 1e-12 <= supremum <= found.upper_bound + 1e-10
    assert found.upper_bound <= found.value + accuracy
    assert_attained(table, found, slack)


def assert_attained(table: PayoffTable, found: CertifiedCommitment, slack: float) -> None:
    assert (found.strategy >= 0).all()
    assert found.strategy.sum() == pytest.approx(1, abs=1e-14)
    game = (table.leader_means, table.follower_means)
    # Tied or not is a matter of rounding within 1e-11 of slack: the value is the worst of both readings.
    assert found.value <= pointwise_value(*game, found.strategy, slack, min) + 1e-13
    assert found.value >= pointwise_value(*game, found.strategy, slack + 1e-11, min) - 1e-13
    assert found.strategy @ table.leader_means[:, found.response] == pytest.approx(found.value, abs=1e-13)


@pytest.mark.parametrize("family", FAMILIES)
def test_holds_rational_supremum_with_two_leader_actions(family: str) -> None:
    rng = generator("pessimistic", family)
    for _ in range(75):
        leader, follower = random_game(rng, family, 2, int(rng.integers(1, 7)))
        slack = (
            Fraction(int(rng.integers(0, 6)), 10)
            if rng.random() < 0.5
            else Fraction(int(rng.integers(0, 3)), 4)
        )
        wanted = float(TwoActionGame(leader, follower).supremum(slack, min))
        leader, follower = with_mixed_rows(rng, leader, follower, int(rng.integers(0, 4)))
        table = PayoffTable(as_floats(leader), as_floats(follower))
        found = worst_case_mixed_leader_strategy(table, float(slack), accuracy=1e-6)
        assert_certified(table, found, float(slack), 1e-6, wanted)


@pytest.mark.parametrize("family", FAMILIES)
def test_holds_enumerated_supremum(family: str) -> None:
    rng = generator("pessimistic-enumeration", family)
    for _ in range(12):
        actions, responses = rng.integers(1, 5), rng.integers(1, 5)
        leader, follower = map(as_floats, random_game(rng, family, actions, responses))
        slack = float(rng.integers(0, 3)) / 8
        table = PayoffTable(leader, follower)
        found = worst_case_mixed_leader_strategy(table, slack, accuracy=1e-7)
        assert_certified(table, found, slack, 1e-7, pessimistic_supremum(leader, follower, slack))


@pytest.mark.parametrize("narrow", [False, True])
def test_between_two_mixed_integer_programs(narrow: bool) -> None:
    rng = generator("pessimistic-milp", int(narrow))
    for _ in range(8):
        leader, follower = rng.random((2, int(rng.integers(2, 7)), int(rng.integers(5, 13))))
        follower = 0.3 * follower if narrow else follower
        table = PayoffTable(leader, follower)
        found = worst_case_mixed_leader_strategy(table, 0.1, accuracy=1e-6)
        assert found.finished
        relaxed, solved, _ = pessimistic_milp(leader, follower, 0.1, 0.0)
        assert solved
        assert found.value <= relaxed + 2e-6
        tightened, solved, _ = pessimistic_milp(leader, follower, 0.1, 1e-5)
        assert solved
        assert tightened <= found.upper_bound + 2e-6
        assert_attained(table, found, 0.1)


def test_no_strategy_beats_the_bound() -> None:
    rng = generator("pessimistic-sampling")
    for size in range(40):
        shape = (2 + size % 5, 20)
        leader, follower = rng.random((2, *shape))
        table = PayoffTable(leader, 0.5 * follower)
        found = worst_case_mixed_leader_strategy(table, 0.1, accuracy=1e-3)
        strategies = rng.dirichlet(np.full(shape[0], 0.3), 2000)
        payoffs = strategies @ table.follower_means
        replies = payoffs >= payoffs.max(axis=1, keepdims=True) - 0.1
        values = np.where(replies, strategies @ leader, np.inf).min(axis=1)
        assert values.max() <= found.upper_bound
        assert found.upper_bound <= found.value + 1e-3


@pytest.mark.parametrize("slack", [0.0, 0.125, 0.5, 0.9])
def test_conitzer_sandholm_game(slack: float) -> None:
    found = worst_case_mixed_leader_strategy(CONITZER, slack)
    assert_certified(CONITZER, found, slack, 1e-6, 0.875 - slack / 8)
    assert found.upper_bound - found.value > ATTAINED


def test_follower_gap_of_exactly_slack_counts_as_a_reply() -> None:
    table = PayoffTable([[1.0, 0.1]], [[0.5, 0.4]])
    assert worst_case_mixed_leader_strategy(table, 0.1).value == 0.1
    assert worst_case_mixed_leader_strategy(table, 0.1 - 1e-9).value == 1.0
    attained = worst_case_mixed_leader_strategy(table, 0.1 - 1e-9)
    assert attained.upper_bound - attained.value <= ATTAINED


def test_zero_slack_tells_tiny_gaps_from_ties() -> None:
    # A solver with feasibility tolerance 1e-7 would take the first game for a tie.
    assert worst_case_mixed_leader_strategy(PayoffTable([[1.0, 0.0]], [[0.5 + 1e-8, 0.5]])).value == 1.0
    assert worst_case_mixed_leader_strategy(PayoffTable([[1.0, 0.0]], [[0.5, 0.5]])).value == 0.0


def test_value_falls_with_slack_to_the_maximin() -> None:
    rng = generator("pessimistic-monotone")
    for _ in range(20):
        table = PayoffTable(*rng.random((2, 3, 5)))
        found = [
            worst_case_mixed_leader_strategy(table, s, accuracy=1e-8) for s in (0.0, 0.02, 0.1, 0.4, 1.0)
        ]
        for less, more in pairwise(found):
            assert more.value <= less.upper_bound + 1e-12
        maximin, _ = maximise(table.leader_means, np.zeros((3, 1)), [0.0])
        assert found[-1].value == pytest.approx(maximin, abs=1e-7)


def test_zero_sum_value_does_not_depend_on_slack() -> None:
    rng = generator("pessimistic-zero-sum")
    for _ in range(20):
        leader = rng.random((4, 6))
        table = PayoffTable(leader, 1 - leader)
        values = [worst_case_mixed_leader_strategy(table, s, accuracy=1e-7).value for s in (0.0, 0.05, 0.3)]
        assert np.ptp(values) <= 1e-7


def test_renaming_actions_changes_nothing() -> None:
    rng = generator("pessimistic-renaming")
    for _ in range(20):
        leader, follower = rng.random((2, 4, 9))
        rows, columns = rng.permutation(4), rng.permutation(9)
        plain = worst_case_mixed_leader_strategy(PayoffTable(leader, follower), 0.1)
        renamed = worst_case_mixed_leader_strategy(
            PayoffTable(leader[rows][:, columns], follower[rows][:, columns]), 0.1
        )
        assert renamed.value == pytest.approx(plain.value, abs=2e-6)


def test_strategy_survives_rounding_where_accuracy_leaves_room() -> None:
    rng = generator("pessimistic-rounding")
    for _ in range(30):
        leader, follower = rng.random((2, 4, 12))
        found = worst_case_mixed_leader_strategy(PayoffTable(leader, follower), 0.1, accuracy=0.0125)
        rounded = dyadic_strategy(found.strategy)
        assert pointwise_value(leader, follower, rounded, 0.1, min) >= found.value - 1e-5


def test_time_limit_returns_a_certified_interval_and_says_so() -> None:
    rng = generator("pessimistic-time-limit")
    follower = rng.random((60, 120))
    table = PayoffTable(0.8 * (1 - follower) + 0.2 * rng.random((60, 120)), 0.3 * follower)
    found = worst_case_mixed_leader_strategy(table, 0.1, accuracy=1e-6, time_limit=0.05)
    assert not found.finished
    assert found.value + 1e-6 < found.upper_bound <= table.leader_means.max()
    assert_attained(table, found, 0.1)


@pytest.mark.parametrize("bad", [-1e-9, float("nan"), float("inf"), None])
def test_bad_slack_is_named(bad: object) -> None:
    with pytest.raises(InputError, match="slack"):
        worst_case_mixed_leader_strategy(CONITZER, bad)


@pytest.mark.parametrize("bad", [0.0, -1.0, float("nan")])
def test_bad_accuracy_and_time_limit_are_named(bad: float) -> None:
    with pytest.raises(InputError, match="accuracy"):
        worst_case_mixed_leader_strategy(CONITZER, 0.1, accuracy=bad)
    with pytest.raises(InputError, match="time_limit"):
        worst_case_mixed_leader_strategy(CONITZER, 0.1, time_limit=bad)
