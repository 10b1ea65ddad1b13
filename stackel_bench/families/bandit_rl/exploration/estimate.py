"""The follower MDP estimated from counts, with valid rows for triples that were never visited."""

from __future__ import annotations

import numpy as np

from stackel_bench.models import FollowerMDP


def estimated_model(
    counts: np.ndarray,
    leader_sums: np.ndarray,
    follower_sums: np.ndarray,
    *,
    initial_state: int,
    unvisited_reward: float,
) -> FollowerMDP:
    """Empirical means of transitions (counts [H,S,B,S]) and of both rewards (sums [H,S,B]).

    Unvisited triples: uniform transitions, which keeps the flow constraints of planning valid and does not
    touch the proof, and unvisited_reward for both players (1/2 minimises the worst-case error).
    """
    states = counts.shape[1]
    visits = counts.sum(axis=3)
    seen = visits > 0
    at_least_one = np.maximum(visits, 1)
    transitions = np.where(seen[..., None], counts / at_least_one[..., None], 1 / states)
    # Division rounds each entry; normalising keeps long rows within the tolerance of FollowerMDP.
    transitions /= transitions.sum(axis=3, keepdims=True)
    leader, follower = (
        np.where(seen, sums / at_least_one, unvisited_reward) for sums in (leader_sums, follower_sums)
    )
    return FollowerMDP(transitions, leader, follower, initial_state)
