"""Independent references for episodes: one at a time, and the exact law of trajectories."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from stackel_bench.models import FollowerMDP


def random_mdp(
    rng: np.random.Generator, shape: tuple[int, int, int], concentration: float = 0.7, start: int = 0
) -> FollowerMDP:
    horizon, states, actions = shape
    transitions = rng.dirichlet(np.full(states, concentration), size=shape)
    transitions[transitions < 1e-12] = 0
    transitions /= transitions.sum(axis=-1, keepdims=True)
    leader, follower = rng.random((2, horizon, states, actions))
    return FollowerMDP(transitions, leader, follower, start)


def lock_mdp(rng: np.random.Generator, horizon: int, actions: int, keep: float = 1.0) -> FollowerMDP:
    """State 0 is kept with probability `keep` by one secret action per layer, everything else falls to 1."""
    transitions = np.zeros((horizon, 2, actions, 2))
    transitions[:, :, :, 1] = 1
    for h, secret in enumerate(rng.integers(actions, size=horizon)):
        transitions[h, 0, secret] = (keep, 1 - keep)
    rewards = np.zeros((2, horizon, 2, actions))
    rewards[:, -1, 0] = rng.random((2, actions))
    return FollowerMDP(transitions, rewards[0], rewards[1])


def play_one(
    mdp: FollowerMDP, policy: np.ndarray, layers: int, rng: np.random.Generator
) -> list[tuple[int, int, int, int]]:
    """Steps (h, s, b, s') of one episode under policy [H,S,B]."""
    steps = []
    s = mdp.initial_state
    for h in range(layers):
        b = int(np.searchsorted(policy[h, s].cumsum(), rng.random(), side="right"))
        b = min(b, policy.shape[2] - 1)
        t = int(np.searchsorted(mdp.transitions[h, s, b].cumsum(), rng.random(), side="right"))
        t = min(t, mdp.shape[1] - 1)
        steps.append((h, s, b, t))
        s = t
    return steps


def one_hot(actions: np.ndarray, num_actions: int) -> np.ndarray:
    return np.eye(num_actions)[np.asarray(actions, dtype=int)]


def play_until_doubled_one_by_one(
    mdp: FollowerMDP,
    actions: np.ndarray,
    counts: np.ndarray,
    limit: int,
    rng: np.random.Generator,
    *,
    layers: int,
    first_batch: int,
    exact: bool,
) -> int:
    """The twin of EpisodeSimulator.play_until_doubled that plays every episode."""
    policy = one_hot(actions, mdp.shape[2])
    before = counts.sum(axis=3)
    played = 0
    look_at = first_batch
    while played < limit:
        for step in play_one(mdp, policy, layers, rng):
            counts[step] += 1
        played += 1
        if exact or played == min(look_at, limit):
            now = counts.sum(axis=3)
            if (now[:layers] - before[:layers] >= np.maximum(before[:layers], 1)).any():
                break
            look_at = 2 * played
    return played


def trajectory_law(mdp: FollowerMDP, policy: np.ndarray) -> list[tuple[np.ndarray, float]]:
    """All trajectories as count tensors [H,S,B,S] with their probability under policy [H,S,B]."""
    horizon, states, actions = mdp.shape
    law = []
    for steps in product(product(range(actions), range(states)), repeat=horizon):
        counts = np.zeros((horizon, states, actions, states), dtype=np.int64)
        probability, s = 1.0, mdp.initial_state
        for h, (b, t) in enumerate(steps):
            probability *= policy[h, s, b] * mdp.transitions[h, s, b, t]
            counts[h, s, b, t] = 1
            s = t
        if probability > 0:
            law.append((counts, probability))
    return law


def tensor_law(single: list[tuple[np.ndarray, float]], episodes: int) -> dict[bytes, float]:
    """Law of the summed count tensor of independent episodes, by convolution."""
    law: dict[bytes, float] = {np.zeros_like(single[0][0]).tobytes(): 1.0}
    shape = single[0][0].shape
    for _ in range(episodes):
        longer: dict[bytes, float] = {}
        for key, probability in law.items():
            tensor = np.frombuffer(key, dtype=np.int64).reshape(shape)
            for step, chance in single:
                new = (tensor + step).tobytes()
                longer[new] = longer.get(new, 0.0) + probability * chance
        law = longer
    return law


Sampler = Callable[[np.random.Generator], np.ndarray]


def tensor_histogram(sampler: Sampler, draws: int, rng: np.random.Generator) -> dict[bytes, int]:
    histogram: dict[bytes, int] = {}
    for _ in range(draws):
        key = sampler(rng).tobytes()
        histogram[key] = histogram.get(key, 0) + 1
    return histogram
