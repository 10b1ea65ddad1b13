"""The worst-case best response by a chord search in plain numpy: short, slow, apart from the kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stackel_bench.models import FollowerMDP

ROUNDING = 2.0**-43  # times the horizon; rewards are at most 1


class NumpyResponse(NamedTuple):
    policy: np.ndarray  # [H,S,B]
    leader_value: float
    multiplier: float


def worst_case_numpy(mdp: FollowerMDP, slack: float) -> NumpyResponse:
    """The least V1 with V2 >= max V2 - slack, rewards in [0,1] and slack > 0.

    The pairs (V1, V2) of all policies form a polygon. A has V2 >= target, B has not; the best policy in the
    direction orthogonal to the chord AB replaces one of them, until none is below the chord.
    """
    first, second, rounding = mdp.leader_rewards, mdp.follower_rewards, ROUNDING * mdp.shape[0]
    a, b = lexicographic(mdp, second, -first, rounding), lexicographic(mdp, -first, second, rounding)
    (a1, a2), (b1, b2) = values(mdp, a), values(mdp, b)
    target = action_values(mdp, second)[0, mdp.initial_state].max() - slack
    if b2 >= target:
        return NumpyResponse(mixture(mdp, b, b, b, 0.0), b1, 0.0)
    while a1 - b1 > rounding:
        run, rise = a2 - b2, a1 - b1
        c = action_values(mdp, rise * second - run * first).argmax(axis=2)
        c1, c2 = values(mdp, c)
        if run * (a1 - c1) - rise * (a2 - c2) <= rounding * (run + rise) or not b2 < c2 < a2:
            weight = (target - b2) / run
            return NumpyResponse(mixture(mdp, a, b, c, weight), b1 + weight * rise, rise / run)
        if c2 >= target:
            a, a1, a2 = c, c1, c2
        else:
            b, b1, b2 = c, c1, c2
    return NumpyResponse(mixture(mdp, a, a, a, 1.0), a1, 0.0)


def action_values(mdp: FollowerMDP, rewards: np.ndarray) -> np.ndarray:
    """Q* [H,S,B] of rewards [H,S,B] by backward induction."""
    found = rewards.copy()
    _, states, actions = rewards.shape
    for step in range(len(rewards) - 2, -1, -1):
        flat = mdp.transitions[step].reshape(states * actions, states)
        found[step] += (flat @ found[step + 1].max(axis=1)).reshape(states, actions)
    return found


def lexicographic(mdp: FollowerMDP, first: np.ndarray, second: np.ndarray, tie: float) -> np.ndarray:
    """Actions [H,S] that maximise the sum of first and, among those that do, the sum of second."""
    exact = action_values(mdp, first)
    tied = exact >= exact.max(axis=2, keepdims=True) - tie
    return action_values(mdp, np.where(tied, second, -np.inf)).argmax(axis=2)


def values(mdp: FollowerMDP, actions: np.ndarray) -> list[float]:
    """[V1, V2] of the deterministic policy actions [H,S]."""
    states, found = np.arange(mdp.shape[1]), np.zeros((mdp.shape[1], 2))
    both = np.stack([mdp.leader_rewards, mdp.follower_rewards], axis=-1)
    for step, chosen in reversed(list(enumerate(actions))):
        found = both[step, states, chosen] + mdp.transitions[step, states, chosen] @ found
    return found[mdp.initial_state].tolist()


def mixture(
    mdp: FollowerMDP, a: np.ndarray, b: np.ndarray, elsewhere: np.ndarray, weight: float
) -> np.ndarray:
    """The Markov policy [H,S,B] that plays as a with probability weight, else as b."""
    horizon, num_states, num_actions = mdp.shape
    states, policy = np.arange(num_states), np.zeros(mdp.shape)
    mass = np.zeros((2, num_states))
    mass[:, mdp.initial_state] = weight, 1 - weight
    for step in range(horizon):
        total = mass.sum(axis=0)
        share = np.divide(mass[0], total, out=np.ones(num_states), where=total > 0)
        policy[step, states, a[step]] = share
        policy[step, states, b[step]] += 1 - share
        policy[step, total == 0] = np.eye(num_actions)[elsewhere[step, total == 0]]
        mass = np.stack(
            [m @ mdp.transitions[step, states, acts[step]] for m, acts in zip(mass, (a, b), strict=True)]
        )
    return policy
