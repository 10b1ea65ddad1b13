"""Exact answers about a true game: values, gaps, and what a decision is really worth."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.learners.decision import Decision, Decisions
from stackel_bench.models import TieBreaking
from stackel_bench.planning.bounds import Bounds
from stackel_bench.planning.finite import optimistic_gap, pessimistic_gap


class Oracle(Protocol):
    """Slack 0 is the exact best response; tie-breaking decides between phi and psi."""

    def stackelberg_value(self, slack: float, tie_breaking: TieBreaking) -> Bounds:
        """max (or sup over the simplex) of phi_slack or psi_slack."""

    def gap(self, epsilon: float, tie_breaking: TieBreaking) -> Bounds:
        """The paper's gap for this tie-breaking."""

    def values_of(self, decisions: Decisions, slack: float, tie_breaking: TieBreaking) -> np.ndarray:
        """phi_slack or psi_slack [R,K] of the decisions' commitments."""

    def follower_losses(self, decisions: Decisions, /) -> np.ndarray:
        """How far the decisions' responses [R,K] are from the follower's best ones."""

    def lowest_value(self, slack: float, tie_breaking: TieBreaking) -> float:
        """min (or inf over the simplex) of phi_slack or psi_slack; no commitment lies below it."""

    @property
    def largest_follower_loss(self) -> float:
        """How far the worst response to any leader action is from the follower's best one."""


@dataclass(eq=False)
class FiniteLeaderOracle:
    """Oracle of the families whose leader picks from a finite list."""

    compute_values: Callable[[float, TieBreaking], np.ndarray]
    follower_losses: Callable[[Decisions], np.ndarray]
    compute_largest_follower_loss: Callable[[], float]
    _values: dict[tuple[float, TieBreaking], np.ndarray] = field(default_factory=dict)

    def leader_values(self, slack: float, tie_breaking: TieBreaking) -> np.ndarray:
        """phi_slack or psi_slack for each leader action [A]; computed once."""
        if (slack, tie_breaking) not in self._values:
            self._values[slack, tie_breaking] = self.compute_values(slack, tie_breaking)
        return self._values[slack, tie_breaking]

    def stackelberg_value(self, slack: float, tie_breaking: TieBreaking) -> Bounds:
        """The best leader action's value."""
        return Bounds.exactly(self.leader_values(slack, tie_breaking).max())

    def gap(self, epsilon: float, tie_breaking: TieBreaking) -> Bounds:
        """Both gaps by their definitions."""
        exact, slack = (self.leader_values(value, tie_breaking) for value in (0.0, epsilon))
        if tie_breaking is TieBreaking.PESSIMISTIC:
            return Bounds.exactly(pessimistic_gap(exact, slack))
        return Bounds.exactly(optimistic_gap(exact, slack, epsilon))

    def values_of(self, decisions: Decisions, slack: float, tie_breaking: TieBreaking) -> np.ndarray:
        """The values of the leader actions that were chosen."""
        return np.asarray(self.leader_values(slack, tie_breaking)[decisions.leader_action])

    def lowest_value(self, slack: float, tie_breaking: TieBreaking) -> float:
        """The worst leader action's value."""
        return float(self.leader_values(slack, tie_breaking).min())

    @functools.cached_property
    def largest_follower_loss(self) -> float:
        """As the family defines it; computed once."""
        return self.compute_largest_follower_loss()


def values_by_leader_action(
    oracle: Oracle, game_name: str, slack: float, tie_breaking: TieBreaking
) -> np.ndarray:
    """phi_slack or psi_slack [A] of a game whose leader picks from a list; an InputError for other games."""
    leader_values = getattr(oracle, "leader_values", None)
    if leader_values is None:
        raise InputError("game", game_name, "a game whose leader picks from a finite list")
    return np.array(leader_values(slack, tie_breaking))


def require_commitment(oracle: Oracle, found: Decision | Decisions, field: str) -> None:
    """Raise an InputError that starts with field unless leaders of this game commit to such a thing."""
    name = "leader_action" if hasattr(oracle, "leader_values") else "leader_strategy"
    if getattr(found, name) is None:
        raise InputError(f"{field}.{name}", None, "what leaders of this game commit to")
