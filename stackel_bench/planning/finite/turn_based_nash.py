"""The pure Nash equilibria of a bandit game played as a turn-based Markov game of two steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class TurnBasedNash:
    """Which pairs [A,B] are on the path of an equilibrium, and how much either player could still gain there.

    Off the path the follower may threaten with anything, so the leader need only be content with the best
    that it can secure against the worst responses.
    """

    members: np.ndarray
    gaps: np.ndarray


def turn_based_nash(leader_means: np.ndarray, follower_means: np.ndarray, tolerance: float) -> TurnBasedNash:
    """Pairs (a, b) where the follower gains at most tolerance by another b, the leader by another a.

    Follower: max mu2(a, .) - mu2(a, b). Leader: max_a' min_b' mu1(a', b') - mu1(a, b), under threats.
    """
    follower_gain = follower_means.max(axis=1, keepdims=True) - follower_means
    leader_gain = leader_means.min(axis=1).max() - leader_means
    gaps = np.maximum(np.maximum(follower_gain, leader_gain), 0.0)
    return TurnBasedNash(gaps <= tolerance, gaps)
