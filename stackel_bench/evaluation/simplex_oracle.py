"""The oracle of simultaneous games: suprema over the simplex, exact or in certified intervals."""

from __future__ import annotations

from dataclasses import dataclass, field

from stackel_bench.evaluation.oracle import Bounds
from stackel_bench.learners.learner import Decision
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.fixed_order import weighted_rows
from stackel_bench.planning.mixed_gaps import mixed_gap, mixed_stackelberg_value
from stackel_bench.planning.mixed_interval import CertifiedInterval
from stackel_bench.planning.mixed_value import mixed_leader_value

SEARCH_SECONDS = 120.0  # then the certified interval is what is known


@dataclass(eq=False)
class SimplexOracle:
    """Values and gaps are computed once; a strategy is evaluated exactly, ties included."""

    table: PayoffTable
    _known: dict[tuple[str, float, TieBreaking], Bounds] = field(default_factory=dict)

    def stackelberg_value(self, slack: float, tie_breaking: TieBreaking) -> Bounds:
        """sup phi_slack or max psi_slack."""
        if ("value", slack, tie_breaking) not in self._known:
            found = mixed_stackelberg_value(self.table, slack, tie_breaking, time_limit=SEARCH_SECONDS)
            self._known["value", slack, tie_breaking] = _bounds(found)
        return self._known["value", slack, tie_breaking]

    def gap(self, epsilon: float, tie_breaking: TieBreaking) -> Bounds:
        """The paper's gap over the simplex."""
        if ("gap", epsilon, tie_breaking) not in self._known:
            found = mixed_gap(self.table, epsilon, tie_breaking, time_limit=SEARCH_SECONDS)
            self._known["gap", epsilon, tie_breaking] = _bounds(found)
        return self._known["gap", epsilon, tie_breaking]

    def value_of(self, decision: Decision, slack: float, tie_breaking: TieBreaking) -> float:
        """phi_slack or psi_slack of the strategy."""
        assert decision.leader_strategy is not None
        return mixed_leader_value(self.table, decision.leader_strategy, slack, tie_breaking).value

    def follower_suboptimality(self, decision: Decision) -> float:
        """How much better the follower could respond to the strategy."""
        assert decision.leader_strategy is not None
        means = weighted_rows(decision.leader_strategy, self.table.follower_means)
        return float(means.max() - means[decision.follower_response])


def _bounds(interval: CertifiedInterval) -> Bounds:
    return Bounds(interval.low, interval.high)
