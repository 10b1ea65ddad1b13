"""Values of follower MDPs by plain recursion, for tests of the instances."""

from __future__ import annotations

import numpy as np

from stackel_bench.models import FollowerMDP


def exact_responses(mdp: FollowerMDP, worst: bool, tolerance: float = 1e-12) -> tuple[float, float]:
    """(follower's optimum, leader's worst or best value over the follower's optimal policies)."""
    horizon, states, actions = mdp.shape
    values = [(0.0, 0.0)] * states
    for h in reversed(range(horizon)):
        layer = []
        for s in range(states):
            pairs = []
            for b in range(actions):
                row = mdp.transitions[h, s, b].tolist()
                pairs.append(
                    tuple(
                        float(rewards[h, s, b]) + sum(p * v[i] for p, v in zip(row, values, strict=True))
                        for i, rewards in enumerate((mdp.follower_rewards, mdp.leader_rewards))
                    )
                )
            best = max(pair[0] for pair in pairs)
            leader = [pair[1] for pair in pairs if best - pair[0] <= tolerance]
            layer.append((best, min(leader) if worst else max(leader)))
        values = layer
    return values[mdp.initial_state]


def reach_probabilities(mdp: FollowerMDP, policy: np.ndarray) -> np.ndarray:
    """Probability [H,S] of each state at each step under a policy [H,S,B]."""
    horizon, states, _ = mdp.shape
    reach = np.zeros((horizon, states))
    reach[0, mdp.initial_state] = 1
    for h in range(horizon - 1):
        reach[h + 1] = np.einsum("s,sb,sbt->t", reach[h], policy[h], mdp.transitions[h])
    return reach
