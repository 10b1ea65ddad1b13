"""The oracle of linear bandit games: exact, by scanning the features of every leader action."""

from typing import Any

import numpy as np

from stackel_bench.evaluation.oracle import FiniteLeaderOracle
from stackel_bench.games.game import truth_of
from stackel_bench.learners.decision import Decisions
from stackel_bench.models import TieBreaking
from stackel_bench.models.linear_model import LinearModel
from stackel_bench.planning.finite import linear_follower_losses, linear_leader_values


def linear_oracle(game: Any) -> FiniteLeaderOracle:
    """Exact answers about a linear game whose parameters are known."""
    model: LinearModel = truth_of(game, "model")
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
