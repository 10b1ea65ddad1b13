"""Independent reference for payoff tables: response sets, leader values and gaps in plain Python fractions.

Nothing here comes from the package. Rows are leader actions; numbers may be floats (taken at their exact
value) or Fractions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

Number = int | float | Fraction
Matrix = Iterable[Iterable[Number]]


def exact(matrix: Matrix) -> list[list[Fraction]]:
    return [[Fraction(number) for number in row] for row in matrix]


def response_set(follower_row: Sequence[Fraction], slack: Fraction) -> list[int]:
    """BR_slack: actions whose payoff is within slack of every other one."""
    return [
        action
        for action, payoff in enumerate(follower_row)
        if all(other - payoff <= slack for other in follower_row)
    ]


def leader_values(leader: Matrix, follower: Matrix, slack: Number, optimistic: bool) -> list[Fraction]:
    """phi_slack (or psi_slack) of each row."""
    values = []
    for leader_row, follower_row in zip(exact(leader), exact(follower), strict=True):
        payoffs = sorted(leader_row[b] for b in response_set(follower_row, Fraction(slack)))
        values.append(payoffs[-1] if optimistic else payoffs[0])
    return values


def stackelberg_value(leader: Matrix, follower: Matrix, slack: Number, optimistic: bool) -> Fraction:
    return max(leader_values(leader, follower, slack, optimistic))


def commitment(leader: Matrix, follower: Matrix, slack: Number, optimistic: bool) -> int:
    """The first row that attains the Stackelberg value."""
    values = leader_values(leader, follower, slack, optimistic)
    return values.index(max(values))


def pessimistic_gap(leader: Matrix, follower: Matrix, epsilon: Number) -> Fraction:
    """max phi_0 - max phi_eps."""
    best, worst = (stackelberg_value(leader, follower, slack, False) for slack in (0, epsilon))
    return best - worst


def optimistic_gap(leader: Matrix, follower: Matrix, epsilon: Number) -> Fraction:
    """max of psi_eps - psi_0 over rows with psi_eps >= max psi_0 - eps."""
    narrow = leader_values(leader, follower, 0, True)
    wide = leader_values(leader, follower, epsilon, True)
    return max(
        high - low for low, high in zip(narrow, wide, strict=True) if high >= max(narrow) - Fraction(epsilon)
    )
