"""The oracle of bandit games: exact, by looking at every pair of the table."""

from typing import Any

import numpy as np

from stackel_bench.evaluation.oracle import FiniteLeaderOracle
from stackel_bench.games.game import truth_of
from stackel_bench.learners.decision import Decisions
from stackel_bench.models import PayoffTable
from stackel_bench.planning.finite import finite_leader_values


def bandit_oracle(game: Any) -> FiniteLeaderOracle:
    """Exact answers about a bandit game with a payoff table."""
    table: PayoffTable = truth_of(game, "table")
    best = table.follower_means.max(axis=1)

    def follower_losses(decisions: Decisions) -> np.ndarray:
        rows = decisions.leader_action
        return np.asarray(best[rows] - table.follower_means[rows, decisions.follower_response])

    return FiniteLeaderOracle(
        lambda slack, tie: finite_leader_values(table.leader_means, table.follower_means, slack, tie),
        follower_losses,
        lambda: float(np.ptp(table.follower_means, axis=1).max()),
    )
