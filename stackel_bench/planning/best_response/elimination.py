"""Returns the same two policies as the chord search while reading most transitions only once (numba).

For large models the time is that of reading the transitions. The first pass follows four directions at once;
later passes follow the chord and one interpolated direction, on the actions that slots.py has not ruled out.
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
    write_findings,
)
from stackel_bench.planning.best_response.slots import Left, Slots, aim, first_look, next_pass
from stackel_bench.tolerances import ON_CHORD, STEP_TIE

FIRST_DIRECTIONS = (0.0, 0.5, 0.85, 1.0)


@kernel
def search_and_eliminate(
    model: Model, slack: float, slots: Slots, left: Left, actions: np.ndarray, findings: np.ndarray
) -> None:
    """Minimise V1 subject to V2 >= max V2 - slack; writes actions [3,H,S] (A, B, else) and findings [7].

    The optimum is A with probability findings[WEIGHT], else B; "else" serves states that neither visits.
    """
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
    actions[0] = slots.action[a]
    actions[1] = slots.action[b]
    actions[2] = slots.action[c]
    ends = (point[a, 0], point[a, 1]), (point[b, 0], point[b, 1])
    write_findings(findings, model.sign, (optimum, target), ends[0], ends[1], status, passes)
