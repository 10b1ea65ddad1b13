"""The oracle of simultaneous games: suprema over the simplex, exact or in certified intervals."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stackel_bench.games.game import truth_of
from stackel_bench.learners.decision import Decisions
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.bounds import Bounds
from stackel_bench.planning.mixed.fixed_order import weighted_rows
from stackel_bench.planning.mixed.gaps import mixed_gap, mixed_stackelberg_value
from stackel_bench.planning.mixed.value import mixed_leader_values

SEARCH_SECONDS = 120.0  # then the certified interval is what is known


def simplex_oracle(game: Any) -> SimplexOracle:
    """Answers about a simultaneous game with a payoff table."""
    return SimplexOracle(truth_of(game, "table"))


@dataclass(eq=False)
class SimplexOracle:
    """Values and gaps are computed once; a strategy is evaluated exactly, ties included."""

    table: PayoffTable
    _known: dict[tuple[str, float, TieBreaking], Bounds] = field(default_factory=dict)

    def stackelberg_value(self, slack: float, tie_breaking: TieBreaking) -> Bounds:
        """sup phi_slack or max psi_slack."""
        return self._searched("value", mixed_stackelberg_value, self.table, slack, tie_breaking)

    def gap(self, epsilon: float, tie_breaking: TieBreaking) -> Bounds:
        """The paper's gap over the simplex."""
        return self._searched("gap", mixed_gap, self.table, epsilon, tie_breaking)

    def _searched(self, what: str, search: Any, table: PayoffTable, slack: float, tie: TieBreaking) -> Bounds:
        if (what, slack, tie) not in self._known:
            self._known[what, slack, tie] = search(table, slack, tie, time_limit=SEARCH_SECONDS)
        return self._known[what, slack, tie]

    def values_of(self, decisions: Decisions, slack: float, tie_breaking: TieBreaking) -> np.ndarray:
        """phi_slack or psi_slack of each strategy."""
        strategies, shape = _flat(decisions)
        return mixed_leader_values(self.table, strategies, slack, tie_breaking).reshape(shape)

    def follower_losses(self, decisions: Decisions) -> np.ndarray:
        """How much better the follower could respond to each strategy."""
        strategies, shape = _flat(decisions)
        means = weighted_rows(strategies, self.table.follower_means)
        played = np.take_along_axis(means, decisions.follower_response.reshape(-1, 1), axis=1)[:, 0]
        return np.asarray(means.max(axis=1) - played).reshape(shape)

    def lowest_value(self, slack: float, tie_breaking: TieBreaking) -> float:
        """The certified end of inf phi_slack or inf psi_slack.

        With the leader's payoffs negated, phi becomes -psi and psi becomes -phi, so an infimum is the negated
        Stackelberg value of the other tie-breaking.
        """
        pessimistic = tie_breaking is TieBreaking.PESSIMISTIC
        other = TieBreaking.OPTIMISTIC if pessimistic else TieBreaking.PESSIMISTIC
        negated = PayoffTable(-self.table.leader_means, self.table.follower_means)
        return -self._searched("negated", mixed_stackelberg_value, negated, slack, other).high

    @functools.cached_property
    def largest_follower_loss(self) -> float:
        """Attained at a pure strategy: the loss of a response is a maximum of linear functions."""
        return float(np.ptp(self.table.follower_means, axis=1).max())


def _flat(decisions: Decisions) -> tuple[np.ndarray, tuple[int, int]]:
    """All strategies below each other, and the shape [R,K] that they come from."""
    assert decisions.leader_strategy is not None
    return decisions.leader_strategy.reshape(-1, decisions.leader_strategy.shape[-1]), decisions.shape
