"""Returns the Markov policy whose occupancy mixes those of two deterministic policies (numba)."""

from __future__ import annotations

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.best_response.findings import WEIGHT


@kernel(forceinline=True)
def _move(row: np.ndarray, mass: float, after: np.ndarray) -> None:
    if mass > 0.0:
        for successor in range(after.size):
            after[successor] += mass * row[successor]


@kernel
def mixture_policies(
    transitions: np.ndarray,
    initial_states: np.ndarray,
    actions: np.ndarray,
    findings: np.ndarray,
    num_actions: int,
) -> np.ndarray:
    """Policies [M,H,S,B] of M models from actions [M,3,H,S]: the first
    with probability findings[M,WEIGHT], else the second.

    In every state that either visits, each acts in proportion to its own occupancy; the third row of
    actions decides in the states that neither visits.
    """
    num_models, _, horizon, num_states = actions.shape
    policies = np.zeros((num_models, horizon, num_states, num_actions))
    mass = np.empty((2, num_states))
    after = np.empty((2, num_states))
    for m in range(num_models):
        mass[:] = 0.0
        mass[0, initial_states[m]] = findings[m, WEIGHT]
        mass[1, initial_states[m]] = 1.0 - findings[m, WEIGHT]
        for h in range(horizon):
            after[:] = 0.0
            for s in range(num_states):
                total = mass[0, s] + mass[1, s]
                if total <= 0.0:
                    policies[m, h, s, actions[m, 2, h, s]] = 1.0
                    continue
                share = mass[0, s] / total
                policies[m, h, s, actions[m, 0, h, s]] = share
                # Added, not set: where both agree the sum is 1 exactly.
                policies[m, h, s, actions[m, 1, h, s]] += 1.0 - share
                if h == horizon - 1:
                    continue
                _move(transitions[m, h, s, actions[m, 0, h, s]], mass[0, s], after[0])
                _move(transitions[m, h, s, actions[m, 1, h, s]], mass[1, s], after[1])
            mass, after = after, mass
    return policies
