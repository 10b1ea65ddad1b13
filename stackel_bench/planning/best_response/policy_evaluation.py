"""Returns what a Markov policy of the follower is worth to both players, and how often it plays what."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench import checks
from stackel_bench.kernel import kernel
from stackel_bench.models import FollowerMDP


@dataclass(frozen=True, slots=True)
class PolicyValues:
    """Expected sums of rewards over one episode from the initial state."""

    leader_value: float
    follower_value: float


def policy_values(mdp: FollowerMDP, policy: ArrayLike) -> PolicyValues:
    """Both players' values of a Markov policy [H,S,B] whose rows sum to 1."""
    played = occupancy(mdp, policy)
    return PolicyValues(_total(played, mdp.leader_rewards), _total(played, mdp.follower_rewards))


def occupancy(mdp: FollowerMDP, policy: ArrayLike) -> np.ndarray:
    """The probability [H,S,B] that the policy is in state s and plays b at step h."""
    checked = checks.array("policy", policy, shape=mdp.shape)
    checks.distributions("policy", checked)
    return _occupancy(mdp.transitions, checked, mdp.initial_state)


@kernel
def _total(played: np.ndarray, rewards: np.ndarray) -> float:
    """The sum of probability times reward, in the order of the entries: no processor changes it."""
    total = 0.0
    for index, probability in np.ndenumerate(played):
        total += probability * rewards[index]
    return total


@kernel
def _occupancy(transitions: np.ndarray, policy: np.ndarray, initial_state: int) -> np.ndarray:
    # Forward in time, so that rows of states and actions that never occur are not read.
    horizon, num_states, num_actions = policy.shape
    played = np.zeros((horizon, num_states, num_actions))
    mass = np.zeros(num_states)
    after = np.zeros(num_states)
    mass[initial_state] = 1.0
    for h in range(horizon):
        after[:] = 0.0
        for s in range(num_states):
            if mass[s] == 0.0:
                continue
            for b in range(num_actions):
                probability = mass[s] * policy[h, s, b]
                if probability == 0.0:
                    continue
                played[h, s, b] = probability
                if h < horizon - 1:
                    for successor in range(num_states):
                        after[successor] += probability * transitions[h, s, b, successor]
        mass, after = after, mass
    return played
