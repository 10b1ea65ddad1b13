"""Two follower policies whose mixture is the constrained best response, by two searches (numba).

The pairs (V1, V2) of all policies form a convex polygon. A is a vertex with V2 >= target, B one with
V2 < target; backward induction in the direction orthogonal to the chord AB finds a vertex below the chord,
which replaces A or B, or proves that the chord is the edge on which the optimum lies. Each replacement
leaves at most a quarter of the triangle that can still hold the frontier, hence the few passes.

For large models the time is that of reading the transitions. There the first pass follows four directions at
once; later passes follow the chord and one interpolated direction, on the actions that slots.py has not ruled
out, so that most transitions are read only once.

Both searches minimise V1 subject to V2 >= max V2 - slack, write the findings [7], and return three slots. The
optimum is the policy of the first one, A, with probability findings[WEIGHT], else that of the second one, B;
the third one serves states that neither visits.
"""

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.best_response.findings import (
    ACTIVE,
    CONSTANT,
    LEXICOGRAPHIC,
    MAX_PASSES,
    UNFINISHED,
    Model,
    mean,
    write_findings,
)
from stackel_bench.planning.best_response.slots import Left, Slots, aim, first_look, next_pass
from stackel_bench.tolerances import ON_CHORD, STEP_TIE

FIRST_DIRECTIONS = (0.0, 0.5, 0.85, 1.0)


@kernel
def _vertex(
    model: Model, weight1: float, weight2: float, action: np.ndarray, buffers: np.ndarray
) -> tuple[float, float]:
    """(V1, V2) of a policy that minimises weight1 V1 - weight2 V2; its actions go to action [H,S]."""
    # Unpacked once: numba counts references at each access to a field.
    transitions, first, second, start, sign, _, _ = model
    horizon, num_states, num_actions = first.shape
    later, now = buffers[0], buffers[1]
    q = np.empty(num_actions)
    signed = weight1 * sign
    for h in range(horizon - 1, -1, -1):
        for s in range(start if h == 0 else 0, start + 1 if h == 0 else num_states):
            for b in range(num_actions):
                q[b] = signed * first[h, s, b] - weight2 * second[h, s, b]
            if h < horizon - 1:
                for b in range(num_actions):
                    q[b] += mean(transitions[h, s, b], later[0])
            # After the sums, not among them: an unforeseen branch would stall the next row's reads.
            chosen = 0
            for b in range(1, num_actions):
                if q[b] < q[chosen]:
                    chosen = b
            v1 = sign * first[h, s, chosen]
            v2 = second[h, s, chosen]
            if h < horizon - 1:
                v1 += mean(transitions[h, s, chosen], later[1])
                v2 += mean(transitions[h, s, chosen], later[2])
            action[h, s] = chosen
            now[0, s] = weight1 * v1 - weight2 * v2
            now[1, s] = v1
            now[2, s] = v2
        later, now = now, later
    return later[1, start], later[2, start]


@kernel
def search_chords(model: Model, slack: float, slots: Slots, findings: np.ndarray) -> tuple[int, int, int]:
    """The search for small models."""
    horizon, num_states, _ = model.leader_rewards.shape
    optimum, target, status = first_look(model, slack, slots, np.array([0.0, 1.0]))
    (b1, a1), (b2, a2) = slots.values[0, :, 0, model.start], slots.values[0, :, 1, model.start]
    buffers = np.empty((2, 3, num_states))
    b, a, c = 0, 1, 2
    if status != UNFINISHED:
        c = a if status == LEXICOGRAPHIC else b
    passes = 1
    while status == UNFINISHED and passes < MAX_PASSES:
        run = (a2 - b2) / model.unit2
        rise = (a1 - b1) / model.unit1
        if rise <= ON_CHORD * horizon:
            status = CONSTANT
            c = a
            break
        weight1 = run / (run + rise) / model.unit1
        weight2 = rise / (run + rise) / model.unit2
        c1, c2 = _vertex(model, weight1, weight2, slots.action[c], buffers)
        passes += 1
        drop = weight1 * (a1 - c1) - weight2 * (a2 - c2)
        if drop <= ON_CHORD * horizon or not b2 < c2 < a2:
            status = ACTIVE
        elif c2 >= target:
            a1, a2 = c1, c2
            a, c = c, a
        else:
            b1, b2 = c1, c2
            b, c = c, b
    write_findings(findings, model.sign, (optimum, target), (a1, a2), (b1, b2), status, passes)
    return a, b, c


@kernel
def search_and_eliminate(
    model: Model, slack: float, slots: Slots, left: Left, findings: np.ndarray
) -> tuple[int, int, int]:
    """The search for large models."""
    horizon, _, num_actions = model.leader_rewards.shape
    directions = np.array(FIRST_DIRECTIONS)
    optimum, target, status = first_look(model, slack, slots, directions)
    point = slots.values[0, :, :, model.start]  # V1 and V2 of all slots from the initial state
    order = np.array([0, 1, 2, 3])  # slots by direction; B first, A last
    b, a = 0, 3
    c = a if status == LEXICOGRAPHIC else b
    passes = 1
    left.rows[:] = np.arange(num_actions)
    left.counts[:] = num_actions
    while status == UNFINISHED and passes < MAX_PASSES:
        # The narrowest bracket: the first direction that reaches the target, and the one before it.
        n = 1
        while n < 3 and point[order[n], 1] < target:
            n += 1
        b = order[n - 1]
        a = order[n]
        run = (point[a, 1] - point[b, 1]) / model.unit2
        rise = (point[a, 0] - point[b, 0]) / model.unit1
        if rise <= ON_CHORD * horizon:
            status = CONSTANT
            c = a
            break
        part = (target - point[b, 1]) / (point[a, 1] - point[b, 1])
        chord = min(max(rise / (run + rise), directions[b]), directions[a])
        other = directions[b] + part * (directions[a] - directions[b])
        low = high = -1
        for slot in range(4):
            if slot != a and slot != b:
                low, high = high, slot
        directions[low] = min(chord, other)
        directions[high] = max(chord, other)
        aim(model, slots, directions)
        order[:] = (b, low, high, a)
        next_pass(model, slots, left, (b, low, high, a), 4.0 * STEP_TIE * horizon)
        passes += 1
        c = low if chord <= other else high
        drop1 = (point[a, 0] - point[c, 0]) / model.unit1
        drop2 = (point[a, 1] - point[c, 1]) / model.unit2
        drop = (run * drop1 - rise * drop2) / (run + rise)
        if drop <= ON_CHORD * horizon or not point[b, 1] < point[c, 1] < point[a, 1]:
            status = ACTIVE
    ends = (point[a, 0], point[a, 1]), (point[b, 0], point[b, 1])
    write_findings(findings, model.sign, (optimum, target), ends[0], ends[1], status, passes)
    return a, b, c
