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
from stackel_bench.learners.decision import Decisions
from stackel_bench.models import FollowerMDP, TieBreaking
from stackel_bench.planning.best_response import best_responses
from stackel_bench.planning.best_response.policy_evaluation import policy_values
from stackel_bench.planning.finite.linear_responses import linear_follower_losses, linear_leader_values
from stackel_bench.planning.finite.responses import finite_leader_values


def oracle_of(game: Game) -> Oracle:
    """Exact answers about this game; expensive ones are computed on demand and kept."""
    return _ORACLES[game.family](game)  # type: ignore[operator]


def _bandit_oracle(game: BanditGame) -> FiniteLeaderOracle:
    table = game.table

    best = table.follower_means.max(axis=1)

    def follower_losses(decisions: Decisions) -> np.ndarray:
        rows = decisions.leader_action
        return np.asarray(best[rows] - table.follower_means[rows, decisions.follower_response])

    return FiniteLeaderOracle(
        lambda slack, tie: finite_leader_values(table.leader_means, table.follower_means, slack, tie),
        follower_losses,
        lambda: float(np.ptp(table.follower_means, axis=1).max()),
    )


def _bandit_rl_oracle(game: BanditRLGame) -> FiniteLeaderOracle:
    optima = [
        response.follower_optimum for response in best_responses(game.mdps, 0.0, TieBreaking.PESSIMISTIC)
    ]

    def values(slack: float, tie_breaking: TieBreaking) -> np.ndarray:
        responses = best_responses(game.mdps, slack, tie_breaking)
        return np.array([response.leader_value for response in responses])

    def follower_losses(decisions: Decisions) -> np.ndarray:
        assert decisions.leader_action is not None
        losses = np.empty(decisions.shape)
        for here, action in np.ndenumerate(decisions.leader_action):
            played = policy_values(game.mdps[action], decisions.follower_response[here])
            losses[here] = optima[action] - played.follower_value
        return losses

    def largest_follower_loss() -> float:
        # A follower who is content with everything, and the worst case of its own reward.
        content = [
            FollowerMDP(m.transitions, m.follower_rewards, np.zeros(m.shape), m.initial_state)
            for m in game.mdps
        ]
        lowest = [r.leader_value for r in best_responses(content, 0.0, TieBreaking.PESSIMISTIC)]
        return float((np.array(optima) - lowest).max())

    return FiniteLeaderOracle(values, follower_losses, largest_follower_loss)


def _linear_oracle(game: LinearBanditGame) -> FiniteLeaderOracle:
    model = game.model
    parameters = (model.leader_parameters, model.follower_parameters)

    def follower_losses(decisions: Decisions) -> np.ndarray:
        assert decisions.leader_action is not None
        losses = np.empty(decisions.shape)
        for action in np.unique(decisions.leader_action):
            chosen = decisions.leader_action == action
            losses[chosen] = linear_follower_losses(model, action, decisions.follower_response[chosen])
        return losses

    def largest_follower_loss() -> float:
        own = (model.features, model.follower_parameters, model.follower_parameters, np.finfo(float).max)
        best, worst = (
            linear_leader_values(*own, tie).values
            for tie in (TieBreaking.OPTIMISTIC, TieBreaking.PESSIMISTIC)
        )
        return float((best - worst).max())

    return FiniteLeaderOracle(
        lambda slack, tie: linear_leader_values(model.features, *parameters, slack, tie).values,
        follower_losses,
        largest_follower_loss,
    )


_ORACLES = {
    BanditGame.family: _bandit_oracle,
    BanditRLGame.family: _bandit_rl_oracle,
    LinearBanditGame.family: _linear_oracle,
    SimultaneousGame.family: lambda game: SimplexOracle(game.table),
}
