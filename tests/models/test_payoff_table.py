"""Payoff tables: frozen, of one shape, and refused with the entry that is wrong."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.models import PayoffTable, TieBreaking


def test_a_table_is_two_frozen_matrices() -> None:
    leader = np.array([[1, 0, 0.5]])
    table = PayoffTable(leader, [[0, 1, 1]])  # type: ignore[arg-type]
    leader[0, 0] = 7
    assert table.shape == (1, 3)
    assert table.leader_means[0, 0] == 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.leader_means = leader  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        table.follower_means[0, 0] = 0.0


def test_payoffs_outside_the_unit_interval_are_a_matter_of_the_noise() -> None:
    assert PayoffTable(np.array([[-3.0]]), np.array([[9.0]])).shape == (1, 1)


@pytest.mark.parametrize(
    ("leader", "follower", "field"),
    [
        ([[1, 2], [3]], [[1, 2], [3, 4]], "leader_means"),
        ([[1, 2]], [[1], [2]], "follower_means.shape"),
        ([[1, float("nan")]], [[1, 2]], "leader_means[0,1]"),
        ([[1, 2]], [[float("inf"), 2]], "follower_means[0,0]"),
        ([], [], "leader_means.shape"),
        ([[]], [[]], "leader_means.shape"),
        ([1, 2], [1, 2], "leader_means.shape"),
        ("ab", "ab", "leader_means"),
        ([[1, None]], [[1, 2]], "leader_means[0,1]"),
        ([[1, {}]], [[1, 2]], "leader_means"),
    ],
)
def test_other_matrices_are_refused(leader: object, follower: object, field: str) -> None:
    with pytest.raises(InputError) as caught:
        PayoffTable(leader, follower)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_tie_breaking_by_name() -> None:
    assert TieBreaking.parse("optimistic") is TieBreaking.OPTIMISTIC
    assert TieBreaking.parse(TieBreaking.PESSIMISTIC) is TieBreaking.PESSIMISTIC
    with pytest.raises(InputError, match="unknown tie_breaking 'best'; choose one of pessimistic, opti"):
        TieBreaking.parse("best")
