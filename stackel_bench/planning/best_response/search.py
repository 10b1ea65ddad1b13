"""The search for many models in one compiled call, and the Markov policies that its answers stand for."""

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.best_response.findings import NUM_FINDINGS, WEIGHT, Model, reward_unit
from stackel_bench.planning.best_response.searches import search_and_eliminate, search_chords
from stackel_bench.planning.best_response.slots import Left, Slots


@kernel
def search_models(
    transitions: np.ndarray,
    leader_rewards: np.ndarray,
    follower_rewards: np.ndarray,
    initial_states: np.ndarray,
    slacks: np.ndarray,
    sign: float,
    eliminate: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """Policies [M,H,S,B] and findings [M,7] of M models.

    transitions [M,H,S,B,S], rewards [M,H,S,B]; sign = 1 minimises the leader's value, -1 maximises it.
    """
    num_models, horizon, num_states, num_actions = leader_rewards.shape
    findings = np.empty((num_models, NUM_FINDINGS))
    policies = np.zeros((num_models, horizon, num_states, num_actions))
    count, layers = (4, horizon) if eliminate else (2, 1)  # directions at once, layers that are remembered
    slots = Slots(
        np.empty((count, 2)),
        np.zeros((4, horizon, num_states), dtype=np.int32),
        np.empty((layers, num_states, num_actions, count)),
        np.empty((horizon, count, num_states)),
        np.empty((horizon, count, 2, num_states)),
    )
    left = Left(
        np.empty((layers, num_states, num_actions), dtype=np.int32),
        np.empty((layers, num_states), dtype=np.int32),
    )
    for m in range(num_models):
        slots.action[:, 0] = 0  # solved in the initial state only; no trace of others
        units = reward_unit(leader_rewards[m]), reward_unit(follower_rewards[m])
        model = Model(transitions[m], leader_rewards[m], follower_rewards[m], initial_states[m], sign, *units)
        if eliminate:
            chosen = search_and_eliminate(model, slacks[m], slots, left, findings[m])
        else:
            chosen = search_chords(model, slacks[m], slots, findings[m])
        _mix(model, slots.action, chosen, findings[m, WEIGHT], policies[m])
    return policies, findings


@kernel
def _mix(
    model: Model, actions: np.ndarray, chosen: tuple[int, int, int], weight: float, policy: np.ndarray
) -> None:
    """Write the Markov policy [H,S,B] whose occupancy mixes two of the chosen, the first with this weight.

    actions [K,H,S]: in every state that either visits, each acts in proportion to its own occupancy; the
    third one decides in the states that neither visits.
    """
    horizon, num_states, _ = policy.shape
    first, second, rest = actions[chosen[0]], actions[chosen[1]], actions[chosen[2]]
    mass = np.zeros((2, num_states))
    after = np.empty((2, num_states))
    mass[0, model.start] = weight
    mass[1, model.start] = 1.0 - weight
    for h in range(horizon):
        after[:] = 0.0
        for s in range(num_states):
            total = mass[0, s] + mass[1, s]
            if total <= 0.0:
                policy[h, s, rest[h, s]] = 1.0
                continue
            share = mass[0, s] / total
            policy[h, s, first[h, s]] = share
            # Added, not set: where both agree the sum is 1 exactly.
            policy[h, s, second[h, s]] += 1.0 - share
            if h < horizon - 1:
                _move(model.transitions[h, s, first[h, s]], mass[0, s], after[0])
                _move(model.transitions[h, s, second[h, s]], mass[1, s], after[1])
        mass, after = after, mass


@kernel(forceinline=True)
def _move(row: np.ndarray, mass: float, after: np.ndarray) -> None:
    if mass > 0.0:
        for successor in range(after.size):
            after[successor] += mass * row[successor]
