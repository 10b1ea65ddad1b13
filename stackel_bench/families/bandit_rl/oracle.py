"""The oracle of bandit-RL games: exact, by planning in every leader action's MDP."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stackel_bench.evaluation.oracle import FiniteLeaderOracle
from stackel_bench.games.game import truth_of
from stackel_bench.learners.decision import Decisions
from stackel_bench.models import FollowerMDP, TieBreaking
from stackel_bench.planning.best_response import best_responses
from stackel_bench.planning.best_response.policy_evaluation import policy_values


def bandit_rl_oracle(game: Any) -> FiniteLeaderOracle:
    """Exact answers about a bandit-RL game whose MDPs are known."""
    mdps: Sequence[FollowerMDP] = truth_of(game, "mdps")
    optima = [response.follower_optimum for response in best_responses(mdps, 0.0, TieBreaking.PESSIMISTIC)]

    def values(slack: float, tie_breaking: TieBreaking) -> np.ndarray:
        responses = best_responses(mdps, slack, tie_breaking)
        return np.array([response.leader_value for response in responses])

    def follower_losses(decisions: Decisions) -> np.ndarray:
        assert decisions.leader_action is not None
        losses = np.empty(decisions.shape)
        for here, action in np.ndenumerate(decisions.leader_action):
            played = policy_values(mdps[action], decisions.follower_response[here])
            losses[here] = optima[action] - played.follower_value
        return losses

    def largest_follower_loss() -> float:
        # A follower who is content with everything, and the worst case of its own reward.
        content = [
            FollowerMDP(m.transitions, m.follower_rewards, np.zeros(m.shape), m.initial_state) for m in mdps
        ]
        lowest = [r.leader_value for r in best_responses(content, 0.0, TieBreaking.PESSIMISTIC)]
        return float((np.array(optima) - lowest).max())

    return FiniteLeaderOracle(values, follower_losses, largest_follower_loss)
