"""Leader values of a table by its definition, in plain Python, for tests of the instances."""

from __future__ import annotations

from stackel_bench.models import PayoffTable


def responses(table: PayoffTable, row: int, slack: float) -> list[int]:
    payoffs = table.follower_means[row].tolist()
    return [b for b, payoff in enumerate(payoffs) if max(payoffs) - payoff <= slack]


def pessimistic_values(table: PayoffTable, slack: float) -> list[float]:
    return [
        min(float(table.leader_means[row, b]) for b in responses(table, row, slack))
        for row in range(table.shape[0])
    ]


def optimistic_values(table: PayoffTable, slack: float) -> list[float]:
    return [
        max(float(table.leader_means[row, b]) for b in responses(table, row, slack))
        for row in range(table.shape[0])
    ]


def pessimistic_gap(table: PayoffTable, epsilon: float) -> float:
    return max(pessimistic_values(table, 0.0)) - max(pessimistic_values(table, epsilon))
