"""Response sets, leader values and the commitment when leader and follower pick from finite lists."""

from __future__ import annotations

import numpy as np

from stackel_bench.models import TieBreaking
from stackel_bench.tolerances import TIE, VALUE, Ties


def response_sets(follower_means: np.ndarray, slack: float, tolerance: float = TIE) -> np.ndarray:
    """Which follower actions [..., B] are within slack of the best one, BR_slack."""
    best = follower_means.max(axis=-1, keepdims=True)
    return np.asarray(best - follower_means <= slack + tolerance)


def respond(
    leader_means: np.ndarray, members: np.ndarray, tie_breaking: TieBreaking
) -> tuple[np.ndarray, np.ndarray]:
    """Leader values [...] and responses [...] when the follower picks from members [..., B] by the tie rule.

    phi = min, psi = max of the leader's means over the response set; the lowest index among equals.
    """
    responses = choose(leader_means, members, tie_breaking)
    values = np.take_along_axis(leader_means, responses[..., None], axis=-1)[..., 0]
    return values, responses


def choose(leader_means: np.ndarray, members: np.ndarray, tie_breaking: TieBreaking) -> np.ndarray:
    """The responses [...] alone."""
    if tie_breaking is TieBreaking.PESSIMISTIC:
        return np.asarray(np.where(members, leader_means, np.inf).argmin(axis=-1))
    return np.asarray(np.where(members, leader_means, -np.inf).argmax(axis=-1))


def finite_leader_values(
    leader_means: np.ndarray, follower_means: np.ndarray, slack: float, tie_breaking: TieBreaking
) -> np.ndarray:
    """phi_slack or psi_slack for each leader action [..., A]; ties as among all these follower means."""
    ties = Ties.among(follower_means)
    return respond(leader_means, response_sets(follower_means, slack, ties.tolerance), tie_breaking)[0]


def pessimistic_gap(exact_values: np.ndarray, slack_values: np.ndarray) -> float:
    """max phi_0 - max phi_eps, the paper's gap."""
    return float(exact_values.max() - slack_values.max())


def optimistic_gap(exact_values: np.ndarray, slack_values: np.ndarray, epsilon: float) -> float:
    """max of psi_eps - psi_0 over the leader actions with psi_eps >= max psi_0 - eps (tilde gap)."""
    competing = slack_values >= exact_values.max() - epsilon - VALUE
    return float((slack_values - exact_values)[competing].max())
