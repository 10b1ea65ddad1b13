"""The oracle of a game, by family."""

from __future__ import annotations

from stackel_bench.evaluation.oracle import FiniteLeaderOracle, Oracle
from stackel_bench.games.bandit import BanditGame
from stackel_bench.games.game import Game
from stackel_bench.learners.learner import Decision
from stackel_bench.planning.finite_responses import finite_leader_values


def oracle_of(game: Game) -> Oracle:
    """Exact answers about this game; expensive ones are computed on demand and kept."""
    return _ORACLES[game.family](game)  # type: ignore[operator]


def _bandit_oracle(game: BanditGame) -> FiniteLeaderOracle:
    table = game.table

    def follower_loss(decision: Decision) -> float:
        row = table.follower_means[decision.leader_action]
        return float(row.max() - row[decision.follower_response])

    return FiniteLeaderOracle(
        lambda slack, tie: finite_leader_values(table.leader_means, table.follower_means, slack, tie),
        follower_loss,
    )


_ORACLES = {
    BanditGame.family: _bandit_oracle,
}
