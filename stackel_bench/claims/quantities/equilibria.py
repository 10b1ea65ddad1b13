"""How Stackelberg solutions and Nash equilibria of true games relate."""

from __future__ import annotations

import numpy as np

from stackel_bench.claims.case import Case
from stackel_bench.planning.finite import respond, response_sets, turn_based_gaps
from stackel_bench.planning.mixed.nash import nash_equilibria
from stackel_bench.tolerances import VALUE


def nash_gap_of_stackelberg(case: Case) -> float:
    """What either player gains by leaving (a*, b*(.)), tried out deviation by deviation.

    The leader moves to another row while the follower answers by b*(.), which is read off the responses; the
    follower changes its answer to a single row.
    """
    leader, follower = case.table.leader_means, case.table.follower_means
    row = int(case.leader_values(0.0).argmax())
    _, answers = respond(leader, response_sets(follower, 0.0), case.tie_breaking)
    here = leader[row, answers[row]], follower[row, answers[row]]
    moved = [leader[other, answers[other]] - here[0] for other in range(len(leader))]
    answered = [follower[row, other] - here[1] for other in range(follower.shape[1])]
    return float(max(*moved, *answered, 0.0))


def best_nash_over_stackelberg(case: Case) -> float:
    """The best pure Nash value of the turn-based game minus the Stackelberg value under the tie rule."""
    leader, follower = case.table.leader_means, case.table.follower_means
    best = leader[turn_based_gaps(leader, follower) <= VALUE].max()
    return float(best) - case.oracle.stackelberg_value(0.0, case.tie_breaking).high


def values_apart_of_nash(case: Case) -> float:
    """Best minus worst leader value among the pure Nash equilibria of the turn-based game."""
    leader, follower = case.table.leader_means, case.table.follower_means
    values = leader[turn_based_gaps(leader, follower) <= VALUE]
    return float(np.ptp(values))


def best_mixed_nash(case: Case) -> float:
    """The leader's value in its best Nash equilibrium of the simultaneous game."""
    return max(nash.leader_value for nash in nash_equilibria(case.table))


def number_of_mixed_nash(case: Case) -> float:
    """How many extreme Nash equilibria the simultaneous game has."""
    return float(len(nash_equilibria(case.table)))
