"""Returns two follower policies whose mixture is the constrained best response, by a chord search (numba).

The pairs (V1, V2) of all policies form a convex polygon. A is a vertex with V2 >= target, B one with
V2 < target; backward induction in the direction orthogonal to the chord AB finds a vertex below the chord,
which replaces A or B, or proves that the chord is the edge on which the optimum lies. Each replacement
leaves at most a quarter of the triangle that can still hold the frontier, hence the few passes.
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
from stackel_bench.planning.best_response.slots import Slots, first_look
from stackel_bench.tolerances import ON_CHORD


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
def search_chords(
    model: Model, slack: float, slots: Slots, actions: np.ndarray, findings: np.ndarray
) -> None:
    """Minimise V1 subject to V2 >= max V2 - slack; writes actions [3,H,S] (A, B, else) and findings [7].

    The optimum is A with probability findings[WEIGHT], else B; "else" serves states that neither visits.
    """
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
    actions[0] = slots.action[a]
    actions[1] = slots.action[b]
    actions[2] = slots.action[c]
    write_findings(findings, model.sign, (optimum, target), (a1, a2), (b1, b2), status, passes)
