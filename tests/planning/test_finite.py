"""Response sets, leader values and gaps of tables against fractions, and the theorems they obey."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from stackel_bench.models import TieBreaking
from stackel_bench.planning.finite import (
    finite_leader_values,
    optimistic_gap,
    pessimistic_gap,
    respond,
    response_sets,
)
from tests import brute_force

GRID = 16  # tied tables: all payoffs and slacks are multiples of 1/16, exact in float64


def random_table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Uniform payoffs for even seeds, heavily tied dyadic ones for odd seeds."""
    rng = np.random.default_rng(seed)
    shape = (2, rng.integers(1, 7), rng.integers(1, 7))
    if seed % 2 == 0:
        leader, follower = rng.random(shape)
    else:
        leader, follower = rng.integers(0, rng.integers(2, GRID + 2), shape) / GRID
    return leader, follower


def slacks(seed: int) -> list[float]:
    return [0.0, *(np.random.default_rng(seed).integers(0, GRID + 1, 3) / GRID)]


@pytest.mark.parametrize("block", range(10))
def test_values_equal_fractions_on_a_thousand_tables(block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        leader, follower = random_table(seed)
        for slack in slacks(seed):
            members = response_sets(follower, slack)
            for row, row_members in zip(brute_force.exact(follower), members, strict=True):
                assert np.flatnonzero(row_members).tolist() == brute_force.response_set(row, Fraction(slack))
            for tie in TieBreaking:
                optimistic = tie is TieBreaking.OPTIMISTIC
                found = finite_leader_values(leader, follower, slack, tie)
                expected = brute_force.leader_values(leader, follower, slack, optimistic)
                assert [Fraction(value) for value in found] == expected
                commitment = brute_force.commitment(leader, follower, slack, optimistic)
                assert int(found.argmax()) == commitment


@pytest.mark.parametrize("block", range(5))
def test_gaps_equal_their_definitions_on_500_tables(block: int) -> None:
    for seed in range(100 * block, 100 * block + 100):
        leader, follower = random_table(seed)
        for epsilon in slacks(seed)[1:]:
            phi = [finite_leader_values(leader, follower, s, TieBreaking.PESSIMISTIC) for s in (0, epsilon)]
            psi = [finite_leader_values(leader, follower, s, TieBreaking.OPTIMISTIC) for s in (0, epsilon)]
            gap = brute_force.pessimistic_gap(leader, follower, epsilon)
            assert pessimistic_gap(*phi) == pytest.approx(float(gap), abs=1e-15)
            gap = brute_force.optimistic_gap(leader, follower, epsilon)
            assert optimistic_gap(*psi, epsilon) == pytest.approx(float(gap), abs=1e-15)


def test_a_responder_picks_the_lowest_index_among_equals() -> None:
    leader = np.array([[0.5, 0.25, 0.25, 0.5], [0.0, 1.0, 1.0, 0.0]])
    members = np.array([[True, True, True, True], [False, True, True, True]])
    values, responses = respond(leader, members, TieBreaking.PESSIMISTIC)
    assert (values.tolist(), responses.tolist()) == ([0.25, 0.0], [1, 3])
    values, responses = respond(leader, members, TieBreaking.OPTIMISTIC)
    assert (values.tolist(), responses.tolist()) == ([0.5, 1.0], [0, 1])


@pytest.mark.parametrize("seed", range(100))
def test_slack_hurts_the_pessimist_and_helps_the_optimist(seed: int) -> None:
    leader, follower = random_table(seed)
    phi, psi = (
        np.array([finite_leader_values(leader, follower, k / GRID, tie) for k in range(GRID + 1)])
        for tie in TieBreaking
    )
    assert (psi >= phi).all()
    assert (np.diff(phi, axis=0) <= 0).all()
    assert (np.diff(psi, axis=0) >= 0).all()
    assert (phi[-1] == leader.min(axis=1)).all()  # slack 1 allows every response
    assert (psi[-1] == leader.max(axis=1)).all()


@pytest.mark.parametrize("seed", range(100))
def test_zero_sum_games_have_no_gap_and_cooperative_ones_at_most_epsilon(seed: int) -> None:
    leader, _ = random_table(seed)
    for epsilon in slacks(seed)[1:]:
        for follower, bound in ((1 - leader, 0.0), (leader, epsilon)):
            phi = [finite_leader_values(leader, follower, s, TieBreaking.PESSIMISTIC) for s in (0, epsilon)]
            assert 0.0 <= pessimistic_gap(*phi) <= bound + 1e-12


def estimates(table: np.ndarray, error: float, rng: np.random.Generator) -> np.ndarray:
    """Within error of the table everywhere, often at the very edge."""
    kinds = [rng.uniform(-1, 1, table.shape), rng.choice([-1.0, 0.0, 1.0], table.shape)]
    return table + error * kinds[rng.integers(2)]


@pytest.mark.parametrize("seed", range(300))
def test_master_inequality(seed: int) -> None:
    """Values planned on estimates within t, with tolerance tau >= 2 t, are those of the truth up to 2 t.

    BR_{tau-2t} <= estimated BR_tau <= BR_{tau+2t}; phi_{tau-2t}(a) >= max phi_{tau+2t} - 2 t1 and
    psi_{tau+2t}(a) >= max psi_{tau-2t} - 2 t1 for the commitment a; the response is in BR_{tau+2t}(a).
    Multiples of 1/64, so that the edges of all sets are met exactly.
    """
    rng = np.random.default_rng(seed)
    leader, follower = rng.integers(0, 33, (2, 5, 6)) / 32
    leader_error, follower_error = rng.integers(0, 9, 2) / 64
    tau = 2 * follower_error + rng.integers(0, 5) / 64
    inner, outer = tau - 2 * follower_error, tau + 2 * follower_error
    leader_hat = estimates(leader, leader_error, rng)
    follower_hat = estimates(follower, follower_error, rng)
    members = response_sets(follower_hat, tau)
    for row in range(5):
        exact_row = brute_force.exact(follower)[row]
        found = set(np.flatnonzero(members[row]).tolist())
        assert set(brute_force.response_set(exact_row, Fraction(inner))) <= found
        assert found <= set(brute_force.response_set(exact_row, Fraction(outer)))
    for tie in TieBreaking:
        optimistic = tie is TieBreaking.OPTIMISTIC
        values, responses = respond(leader_hat, members, tie)
        chosen = int(values.argmax())
        kept, wanted = (outer, inner) if optimistic else (inner, outer)
        reached = brute_force.leader_values(leader, follower, kept, optimistic)[chosen]
        bound = brute_force.stackelberg_value(leader, follower, wanted, optimistic)
        assert reached >= bound - Fraction(2 * leader_error) - Fraction(1, 10**12)
        assert follower[chosen].max() - follower[chosen, responses[chosen]] <= outer + 1e-12
