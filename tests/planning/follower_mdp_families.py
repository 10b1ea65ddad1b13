"""Random and degenerate follower MDPs by name of their family, for all tests that need many."""

from __future__ import annotations

import numpy as np

from stackel_bench.models import FollowerMDP
from stackel_bench.streams import generator

SHAPES = [(1, 1, 1), (1, 1, 4), (1, 3, 2), (2, 2, 2), (3, 1, 3), (3, 3, 1), (3, 3, 2), (4, 5, 3), (6, 4, 3)]

FAMILIES = [
    "dense",
    "sparse",
    "deterministic",
    "unreachable",
    "decimal ties",
    "duplicate actions",
    "leader constant",
    "follower constant",
    "zero rewards",
    "common interest",
    "zero sum",
    "follower at the end",
    "rare rewards",
    "signed and scaled",
]


def follower_mdp(family: str, shape: tuple[int, int, int], seed: int) -> FollowerMDP:
    """One model of the family; shape is (H,S,B)."""
    rng = generator("follower mdp", family, *shape, seed)
    _, states, actions = shape
    transitions = rng.dirichlet(np.ones(states), size=shape)
    leader, follower = rng.random((2, *shape))
    start = int(rng.integers(states))
    if family == "sparse":
        transitions *= rng.random(transitions.shape) < 0.4
        transitions[..., 0] += 1e-3
        transitions /= transitions.sum(axis=3, keepdims=True)
    elif family in ("deterministic", "decimal ties"):
        transitions = np.eye(states)[rng.integers(states, size=shape)]
    elif family == "unreachable" and states > 1:
        transitions[..., -1] = 0
        transitions /= transitions.sum(axis=3, keepdims=True)
        start = int(rng.integers(states - 1))
    if family == "decimal ties":
        leader, follower = rng.integers(4, size=(2, *shape)) / 10
    elif family == "duplicate actions":
        copies = rng.integers(actions, size=actions)
        transitions, leader, follower = (
            transitions[:, :, copies],
            leader[:, :, copies],
            follower[:, :, copies],
        )
        leader = np.where(rng.random(shape) < 0.3, rng.random(shape), leader)
    elif family == "leader constant":
        leader = np.full(shape, 0.3)
    elif family == "follower constant":
        follower = np.full(shape, 0.7)
    elif family == "zero rewards":
        leader, follower = np.zeros((2, *shape)) if seed % 2 else (leader, np.zeros(shape))
    elif family == "common interest":
        follower = leader
    elif family == "zero sum":
        follower = 1 - leader
    elif family == "follower at the end":
        follower[:-1] = 0
    elif family == "rare rewards":
        leader, follower = (rng.random((2, *shape)) < 0.2).astype(float)
    elif family == "signed and scaled":
        leader, follower = 40 * (leader - 0.5), 0.02 * (follower - 0.5)
    return FollowerMDP(transitions, leader, follower, start)
