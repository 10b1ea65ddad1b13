"""How Stackelberg solutions and Nash equilibria of true games relate."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from stackel_bench.claims.case import Case
from stackel_bench.planning.finite.responses import respond, response_sets
from stackel_bench.planning.finite.turn_based_nash import turn_based_nash
from stackel_bench.planning.mixed.nash import nash_equilibria
from stackel_bench.tolerances import VALUE


def nash_gap_of_stackelberg(case: Case) -> float:
    """What either player gains by leaving (a*, b*(.)), b*(a) being the tie rule's best response to each a."""
    leader, follower = case.table.leader_means, case.table.follower_means
    values, responses = respond(leader, response_sets(follower, 0.0), case.tie_breaking)
    row = int(values.argmax())
    leader_gain = float(values.max() - values[row])
    follower_gain = float(follower[row].max() - follower[row, responses[row]])
    return max(leader_gain, follower_gain)


def best_nash_over_stackelberg(case: Case) -> float:
    """The best pure Nash value of the turn-based game minus the Stackelberg value under the tie rule."""
    leader, follower = case.table.leader_means, case.table.follower_means
    best = leader[turn_based_nash(leader, follower, VALUE).members].max()
    return float(best) - case.oracle.stackelberg_value(0.0, case.tie_breaking).high


def values_apart_of_nash(case: Case) -> float:
    """Best minus worst leader value among the pure Nash equilibria of the turn-based game."""
    leader, follower = case.table.leader_means, case.table.follower_means
    values = leader[turn_based_nash(leader, follower, VALUE).members]
    return float(np.ptp(values))


def best_mixed_nash(case: Case) -> float:
    """The leader's value in its best Nash equilibrium of the simultaneous game."""
    return max(nash.leader_value for nash in nash_equilibria(case.table))


def number_of_mixed_nash(case: Case) -> float:
    """How many extreme Nash equilibria the simultaneous game has."""
    return float(len(nash_equilibria(case.table)))


QUANTITIES: Mapping[str, Callable[[Case], float]] = {
    function.__name__: function
    for function in (
        nash_gap_of_stackelberg,
        best_nash_over_stackelberg,
        values_apart_of_nash,
        best_mixed_nash,
        number_of_mixed_nash,
    )
}
