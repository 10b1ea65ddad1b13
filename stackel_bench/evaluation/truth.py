"""The oracle of a game, by family."""

from __future__ import annotations

import numpy as np

from stackel_bench.evaluation.oracle import FiniteLeaderOracle, Oracle
from stackel_bench.evaluation.simplex_oracle import SimplexOracle
from stackel_bench.games.bandit import BanditGame
from stackel_bench.games.bandit_rl import BanditRLGame
from stackel_bench.games.game import Game
from stackel_bench.games.linear import LinearBanditGame
from stackel_bench.games.simultaneous import SimultaneousGame
from stackel_bench.learners.learner import Decision
from stackel_bench.models import TieBreaking
from stackel_bench.planning.best_response import best_responses
from stackel_bench.planning.finite_responses import finite_leader_values
from stackel_bench.planning.linear_responses import linear_follower_loss, linear_leader_values
from stackel_bench.planning.policy_evaluation import policy_values


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


def _bandit_rl_oracle(game: BanditRLGame) -> FiniteLeaderOracle:
    optima = [
        response.follower_optimum for response in best_responses(game.mdps, 0.0, TieBreaking.PESSIMISTIC)
    ]

    def values(slack: float, tie_breaking: TieBreaking) -> np.ndarray:
        responses = best_responses(game.mdps, slack, tie_breaking)
        return np.array([response.leader_value for response in responses])

    def follower_loss(decision: Decision) -> float:
        assert decision.leader_action is not None
        played = policy_values(game.mdps[decision.leader_action], decision.follower_response)
        return optima[decision.leader_action] - played.follower_value

    return FiniteLeaderOracle(values, follower_loss)


def _linear_oracle(game: LinearBanditGame) -> FiniteLeaderOracle:
    model = game.model
    parameters = (model.leader_parameters, model.follower_parameters)

    def follower_loss(decision: Decision) -> float:
        assert decision.leader_action is not None
        return linear_follower_loss(model, decision.leader_action, int(decision.follower_response))

    return FiniteLeaderOracle(
        lambda slack, tie: linear_leader_values(model.features, *parameters, slack, tie).values,
        follower_loss,
    )


_ORACLES = {
    BanditGame.family: _bandit_oracle,
    BanditRLGame.family: _bandit_rl_oracle,
    LinearBanditGame.family: _linear_oracle,
    SimultaneousGame.family: lambda game: SimplexOracle(game.table),
}
