"""Returns the same two policies as the chord search while reading most transitions only once (numba).

For large models the time is that of reading the transitions. The first pass follows four directions at once;
later passes follow the chord and one interpolated direction, on the actions that slots.py has not ruled out.
"""

from __future__ import annotations

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.best_response.findings import (
    ACTIVE,
    CONSTANT,
    FOLLOWER_OPTIMUM,
    LEXICOGRAPHIC,
    MAX_PASSES,
    SLACK,
    UNFINISHED,
    Model,
    reward_unit,
    write_findings,
)
from stackel_bench.planning.best_response.slots import Left, Slots, first_pass, next_pass
from stackel_bench.tolerances import ON_CHORD, STEP_TIE

FIRST_DIRECTIONS = (0.0, 0.5, 0.85, 1.0)


@kernel
def search_and_eliminate(
    model: Model, slack: float, slots: Slots, left: Left, actions: np.ndarray, findings: np.ndarray
) -> None:
    """Minimise V1 subject to V2 >= max V2 - slack; writes actions [3,H,S] (A, B, else) and findings [7].

    The optimum is A with probability findings[WEIGHT], else B; "else" serves states that neither visits.
    """
    weights, action, _, optima, _ = slots
    horizon, _, num_actions = model.leader_rewards.shape
    scale1 = reward_unit(model.leader_rewards)
    scale2 = reward_unit(model.follower_rewards)
    tie = STEP_TIE * horizon
    directions = np.array(FIRST_DIRECTIONS)
    weights[:, 0] = (1.0 - directions) / scale1
    weights[:, 1] = directions / scale2
    first_pass(model, slots, tie)
    point = slots.values[0, :, :, model.start]  # V1 and V2 of all slots from the initial state
    optimum = -optima[0, 3, model.start] * scale2
    target = optimum - slack
    order = np.array([0, 1, 2, 3])  # slots by direction; B first, A last
    a = 3
    b = c = 0
    weight = 1.0
    multiplier = 0.0
    passes = 1
    status = UNFINISHED
    if slack <= horizon * tie * scale2:
        status = LEXICOGRAPHIC
        multiplier = np.inf
        c = a
    elif point[0, 1] >= target:
        status = SLACK
        weight = 0.0
    else:
        left.rows[:] = np.arange(num_actions)
        left.counts[:] = num_actions
    while status == UNFINISHED and passes < MAX_PASSES:
        # The narrowest bracket: the first direction that reaches the target, and the one before it.
        n = 1
        while n < 3 and point[order[n], 1] < target:
            n += 1
        b = order[n - 1]
        a = order[n]
        run = (point[a, 1] - point[b, 1]) / scale2
        rise = (point[a, 0] - point[b, 0]) / scale1
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
        weights[:, 0] = (1.0 - directions) / scale1
        weights[:, 1] = directions / scale2
        order[:] = (b, low, high, a)
        next_pass(model, slots, left, (b, low, high, a), 4.0 * tie)
        passes += 1
        c = low if chord <= other else high
        drop1 = (point[a, 0] - point[c, 0]) / scale1
        drop2 = (point[a, 1] - point[c, 1]) / scale2
        drop = (run * drop1 - rise * drop2) / (run + rise)
        if drop <= ON_CHORD * horizon or not point[b, 1] < point[c, 1] < point[a, 1]:
            status = ACTIVE
            weight = min(max(part, 0.0), 1.0)
            multiplier = (point[a, 0] - point[b, 0]) / (point[a, 1] - point[b, 1])
    actions[0] = action[a]
    actions[1] = action[b]
    actions[2] = action[c]
    findings[FOLLOWER_OPTIMUM] = optimum
    ends = (point[a, 0], point[a, 1]), (point[b, 0], point[b, 1])
    write_findings(findings, model.sign, ends[0], ends[1], weight, multiplier, status, passes)
