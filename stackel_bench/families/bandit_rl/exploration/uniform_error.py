"""The true sup over policies and players of |estimated value - true value|, or an upper bound of it."""

import numpy as np

from stackel_bench.errors import InputError
from stackel_bench.models import FollowerMDP

MAX_POLICIES = 1_000_000


def uniform_error(estimate: FollowerMDP, truth: FollowerMDP, max_policies: int = MAX_POLICIES) -> float:
    """Exact if there are at most max_policies deterministic policies to enumerate, else an upper bound.

    Deterministic policies suffice: a Markov policy is the same mixture of them in both models.
    """
    if estimate.shape != truth.shape or estimate.initial_state != truth.initial_state:
        raise InputError("estimate.shape", estimate.shape, f"{truth.shape}, same initial state")
    horizon, states, actions = truth.shape
    # The first layer matters at the initial state only.
    if actions ** min(states * (horizon - 1) + 1, 64) <= max_policies:
        return _enumerated(estimate, truth)
    return _bounded(estimate, truth)


def reward_error(estimate: FollowerMDP, truth: FollowerMDP) -> float:
    """The true sup over policies and players of what estimated rewards alone move a value by, exactly.

    The policy plays in the true transitions, paid by the difference of the rewards, or by its negative.
    """
    worst = 0.0
    for player in ("leader_rewards", "follower_rewards"):
        off = getattr(estimate, player) - getattr(truth, player)
        for sign in (1.0, -1.0):
            values = np.zeros(truth.shape[1])
            for h in range(truth.shape[0] - 1, -1, -1):
                values = (sign * off[h] + _expected(truth.transitions[h], values)).max(axis=1)
            worst = max(worst, float(values[truth.initial_state]))
    return worst


def _enumerated(estimate: FollowerMDP, truth: FollowerMDP) -> float:
    """The maximum over all policies; values [policies of later layers, S] per model and player."""
    horizon, states, actions = truth.shape
    worst = 0.0
    for player in ("leader_rewards", "follower_rewards"):
        values = [np.zeros((1, states)), np.zeros((1, states))]
        for h in range(horizon - 1, -1, -1):
            needed = [truth.initial_state] if h == 0 else list(range(states))
            choices = np.indices((actions,) * len(needed)).reshape(len(needed), -1).T
            for i, model in enumerate((estimate, truth)):
                rewards = getattr(model, player)[h]
                q = rewards + np.einsum("sbt,kt->ksb", model.transitions[h], values[i])
                values[i] = q[:, needed, choices].reshape(-1, len(needed))
        worst = max(worst, float(np.abs(values[0] - values[1]).max()))
    return worst


def _bounded(estimate: FollowerMDP, truth: FollowerMDP) -> float:
    """An upper bound from V_hat - V = (r_hat - r) + (P_hat - P) V + P_hat (V_hat - V)_next.

    The middle term is maximised over all V between the smallest and the largest true value of each state.
    """
    horizon, states, _ = truth.shape
    worst = 0.0
    for player in ("leader_rewards", "follower_rewards"):
        smallest, largest, above, below = (np.zeros(states) for _ in range(4))
        for h in range(horizon - 1, -1, -1):
            reward = getattr(estimate, player)[h] - getattr(truth, player)[h]
            moved = estimate.transitions[h] - truth.transitions[h]
            most = np.maximum(moved * smallest, moved * largest).sum(axis=2)
            least = np.minimum(moved * smallest, moved * largest).sum(axis=2)
            above = (reward + most + _expected(estimate.transitions[h], above)).max(axis=1)
            below = (-reward - least + _expected(estimate.transitions[h], below)).max(axis=1)
            rewards = getattr(truth, player)[h]
            smallest = (rewards + _expected(truth.transitions[h], smallest)).min(axis=1)
            largest = (rewards + _expected(truth.transitions[h], largest)).max(axis=1)
        start = truth.initial_state
        worst = max(worst, float(above[start]), float(below[start]))
    return worst


def _expected(transitions: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Expected next values [S,B], added up in an order that no processor changes."""
    return np.asarray(np.einsum("sbt,t->sb", transitions, values))
