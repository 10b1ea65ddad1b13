"""Returns the same two policies as the chord search while reading most transitions only once (numba).

For large models the time is that of reading the transitions. The first pass follows four directions
t in [0,1] of "minimise (1-t) V1 - t V2" at once. Action values are concave in t, so between two directions
i < j an action lies above the straight line through its two values, and the optimum lies below the lines of
the two stored policies: an action whose line stays above is never chosen between i and j and its row is not
read again. Later passes follow the chord and one interpolated direction on the rows that are left.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.best_response.findings import (
    ACTIVE,
    CONSTANT,
    FOLLOWER_OPTIMUM,
    FOLLOWER_VALUE,
    LEADER_VALUE,
    LEXICOGRAPHIC,
    MAX_PASSES,
    MULTIPLIER,
    NUM_FINDINGS,
    PASSES,
    SLACK,
    STATUS,
    UNFINISHED,
    WEIGHT,
    Model,
)
from stackel_bench.tolerances import ON_CHORD, STEP_TIE

FIRST_DIRECTIONS = (0.0, 0.5, 0.85, 1.0)


class _Slots(NamedTuple):
    """What is remembered of four directions; weights scale the rewards into [-1,1] as well."""

    weights: np.ndarray  # [4,2]: a slot minimises weights[0] V1 - weights[1] V2
    action: np.ndarray  # [4,H,S]
    q: np.ndarray  # [H,S,B,4]: values of actions in the slot's direction
    optima: np.ndarray  # [H,4,S]: their least
    values: np.ndarray  # [H,8,S]: V1 and V2 of the slot's policy in rows 2*slot and 2*slot+1


class _Left(NamedTuple):
    """The actions that may still be optimal: the first counts[h,s] of rows[h,s]."""

    rows: np.ndarray  # [H,S,B]
    counts: np.ndarray  # [H,S]


@kernel(forceinline=True, fastmath={"reassoc", "nsz"})
def _pair(transitions: np.ndarray, h: int, s: int, b: int, values: np.ndarray, i: int) -> tuple[float, float]:
    # The order of summation is left to the compiler, as in any BLAS; everything else is strict.
    first = 0.0
    second = 0.0
    for k in range(values.shape[1]):
        p = transitions[h, s, b, k]
        first += p * values[i, k]
        second += p * values[i + 1, k]
    return first, second


@kernel(forceinline=True, fastmath={"reassoc", "nsz"})
def _two_pairs(
    transitions: np.ndarray, h: int, s: int, b: int, values: np.ndarray, i: int, j: int
) -> tuple[float, float, float, float]:
    first = 0.0
    second = 0.0
    third = 0.0
    fourth = 0.0
    for k in range(values.shape[1]):
        p = transitions[h, s, b, k]
        first += p * values[i, k]
        second += p * values[i + 1, k]
        third += p * values[j, k]
        fourth += p * values[j + 1, k]
    return first, second, third, fourth


@kernel
def _scale(rewards: np.ndarray) -> float:
    """The power of two above every |reward|, so that dividing by it is exact; 1 where all are 0."""
    largest = np.abs(rewards).max()
    return math.ldexp(1.0, math.frexp(largest)[1]) if largest > 0 else 1.0


@kernel
def _first_pass(model: Model, slots: _Slots, tie: float) -> None:
    """Fill all four slots.

    Slot 0 is B (min V1, then max V2), slot 3 is A (max V2, then min V1): ties are judged against the exact
    optima; in the slots between any optimal action will do.
    """
    # Unpacked once: numba counts references at each access to a field.
    transitions, first, second, start, sign = model
    weights, action, q, optima, values = slots
    horizon, num_states, num_actions = first.shape
    for h in range(horizon - 1, -1, -1):
        continues = h < horizon - 1
        for s in range(start if h == 0 else 0, start + 1 if h == 0 else num_states):
            optima[h, :, s] = np.inf
            for b in range(num_actions):
                d0 = d1 = d2 = d3 = 0.0
                if continues:
                    d0, d1, d2, d3 = _two_pairs(transitions, h, s, b, optima[h + 1], 0, 2)
                r1 = sign * first[h, s, b]
                r2 = second[h, s, b]
                q[h, s, b, 0] = weights[0, 0] * r1 + d0
                q[h, s, b, 1] = weights[1, 0] * r1 - weights[1, 1] * r2 + d1
                q[h, s, b, 2] = weights[2, 0] * r1 - weights[2, 1] * r2 + d2
                q[h, s, b, 3] = -weights[3, 1] * r2 + d3
                for slot in range(4):
                    optima[h, slot, s] = min(optima[h, slot, s], q[h, s, b, slot])
            for slot in range(4):
                at_an_end = slot == 0 or slot == 3
                bound = optima[h, slot, s] + (tie if at_an_end else 0.0)
                found = False
                for b in range(num_actions):
                    if q[h, s, b, slot] > bound or (found and not at_an_end):
                        continue
                    v1 = sign * first[h, s, b]
                    v2 = second[h, s, b]
                    if continues:
                        d1, d2 = _pair(transitions, h, s, b, values[h + 1], 2 * slot)
                        v1 += d1
                        v2 += d2
                    if not found or (v2 > values[h, 1, s] if slot == 0 else v1 < values[h, 6, s]):
                        found = True
                        values[h, 2 * slot, s] = v1
                        values[h, 2 * slot + 1, s] = v2
                        action[slot, h, s] = b


@kernel
def _drop_actions(
    slots: _Slots, rows: np.ndarray, count: int, i: int, j: int, tie: float, h: int, s: int
) -> int:
    """How many actions may be optimal between the slots i and j; they move to the front of rows [B]."""
    weights, _, q, optima, values = slots
    # Height of each stored policy's line above the optimum at the other end of the bracket.
    over_i = weights[j, 0] * values[h, 2 * i, s] - weights[j, 1] * values[h, 2 * i + 1, s] - optima[h, j, s]
    over_j = weights[i, 0] * values[h, 2 * j, s] - weights[i, 1] * values[h, 2 * j + 1, s] - optima[h, i, s]
    over_i = max(over_i, 0.0)
    over_j = max(over_j, 0.0)
    kept = 0
    for n in range(count):
        b = rows[n]
        gap_i = q[h, s, b, i] - optima[h, i, s]
        gap_j = q[h, s, b, j] - optima[h, j, s]
        # The action's line against the lower of the two policies' lines, at both ends and where these cross.
        clear = gap_i * over_i + gap_j * over_j - over_i * over_j >= tie * (over_i + over_j)
        if not (gap_i > tie and gap_j > tie and clear):
            rows[kept] = b
            kept += 1
    return kept


@kernel
def _next_pass(
    model: Model, slots: _Slots, left: _Left, bracket: tuple[int, int, int, int], tie: float
) -> None:
    """Fill the slots low and high, with directions between those of slots b and a, on rows left."""
    transitions, first, second, start, sign = model
    weights, action, q, optima, values = slots
    rows, counts = left
    slot_b, low, high, slot_a = bracket
    horizon, num_states, _ = first.shape
    settled = True  # one action is left in every state of every later step, so that their values are known
    for h in range(horizon - 1, -1, -1):
        continues = h < horizon - 1
        settled_here = True
        for s in range(start if h == 0 else 0, start + 1 if h == 0 else num_states):
            if counts[h, s] > 1:
                counts[h, s] = _drop_actions(slots, rows[h, s], counts[h, s], slot_b, slot_a, tie, h, s)
            action[low, h, s] = rows[h, s, 0]
            action[high, h, s] = rows[h, s, 0]
            if settled and counts[h, s] == 1:
                for slot in (low, high):
                    v1 = values[h, 2 * slot_a, s]
                    v2 = values[h, 2 * slot_a + 1, s]
                    values[h, 2 * slot, s] = v1
                    values[h, 2 * slot + 1, s] = v2
                    optima[h, slot, s] = weights[slot, 0] * v1 - weights[slot, 1] * v2
                continue
            settled_here = settled_here and counts[h, s] == 1
            optima[h, low, s] = np.inf
            optima[h, high, s] = np.inf
            for n in range(counts[h, s]):
                b = rows[h, s, n]
                low1 = high1 = sign * first[h, s, b]
                low2 = high2 = second[h, s, b]
                if continues:
                    d1, d2, d3, d4 = _two_pairs(transitions, h, s, b, values[h + 1], 2 * low, 2 * high)
                    low1 += d1
                    low2 += d2
                    high1 += d3
                    high2 += d4
                q[h, s, b, low] = weights[low, 0] * low1 - weights[low, 1] * low2
                q[h, s, b, high] = weights[high, 0] * high1 - weights[high, 1] * high2
                if q[h, s, b, low] < optima[h, low, s]:
                    optima[h, low, s] = q[h, s, b, low]
                    values[h, 2 * low, s] = low1
                    values[h, 2 * low + 1, s] = low2
                    action[low, h, s] = b
                if q[h, s, b, high] < optima[h, high, s]:
                    optima[h, high, s] = q[h, s, b, high]
                    values[h, 2 * high, s] = high1
                    values[h, 2 * high + 1, s] = high2
                    action[high, h, s] = b
        settled = settled and settled_here


@kernel
def _search(
    model: Model, slack: float, slots: _Slots, left: _Left, actions: np.ndarray, findings: np.ndarray
) -> None:
    """Minimise V1 subject to V2 >= max V2 - slack; writes actions [3,H,S] (A, B, else) and findings [7].

    The optimum is A with probability findings[WEIGHT], else B; "else" serves states that neither visits.
    """
    weights, action, _, optima, _ = slots
    horizon, _, num_actions = model.leader_rewards.shape
    scale1 = _scale(model.leader_rewards)
    scale2 = _scale(model.follower_rewards)
    tie = STEP_TIE * horizon
    directions = np.array(FIRST_DIRECTIONS)
    weights[:, 0] = (1.0 - directions) / scale1
    weights[:, 1] = directions / scale2
    _first_pass(model, slots, tie)
    point = slots.values[0, :, model.start]  # V1 and V2 of all slots from the initial state
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
    elif point[1] >= target:
        status = SLACK
        weight = 0.0
    else:
        left.rows[:] = np.arange(num_actions)
        left.counts[:] = num_actions
    while status == UNFINISHED and passes < MAX_PASSES:
        # The narrowest bracket: the first direction that reaches the target, and the one before it.
        n = 1
        while n < 3 and point[2 * order[n] + 1] < target:
            n += 1
        b = order[n - 1]
        a = order[n]
        run = (point[2 * a + 1] - point[2 * b + 1]) / scale2
        rise = (point[2 * a] - point[2 * b]) / scale1
        if rise <= ON_CHORD * horizon:
            status = CONSTANT
            c = a
            break
        part = (target - point[2 * b + 1]) / (point[2 * a + 1] - point[2 * b + 1])
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
        _next_pass(model, slots, left, (b, low, high, a), 4.0 * tie)
        passes += 1
        c = low if chord <= other else high
        drop1 = (point[2 * a] - point[2 * c]) / scale1
        drop2 = (point[2 * a + 1] - point[2 * c + 1]) / scale2
        drop = (run * drop1 - rise * drop2) / (run + rise)
        if drop <= ON_CHORD * horizon or not point[2 * b + 1] < point[2 * c + 1] < point[2 * a + 1]:
            status = ACTIVE
            weight = min(max(part, 0.0), 1.0)
            multiplier = (point[2 * a] - point[2 * b]) / (point[2 * a + 1] - point[2 * b + 1])
    actions[0] = action[a]
    actions[1] = action[b]
    actions[2] = action[c]
    leader_value = point[2 * b] + weight * (point[2 * a] - point[2 * b])
    follower_value = point[2 * b + 1] + weight * (point[2 * a + 1] - point[2 * b + 1])
    findings[LEADER_VALUE] = model.sign * (point[2 * a] if weight == 1.0 else leader_value)
    findings[FOLLOWER_VALUE] = point[2 * a + 1] if weight == 1.0 else follower_value
    findings[FOLLOWER_OPTIMUM] = optimum
    findings[MULTIPLIER] = multiplier
    findings[WEIGHT] = weight
    findings[STATUS] = status
    findings[PASSES] = passes


@kernel
def search_and_eliminate(
    transitions: np.ndarray,
    leader_rewards: np.ndarray,
    follower_rewards: np.ndarray,
    initial_states: np.ndarray,
    slacks: np.ndarray,
    sign: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Actions [M,3,H,S] (A, B, else) and findings [M,7] of M models.

    transitions [M,H,S,B,S], rewards [M,H,S,B]; sign = 1 minimises the leader's value, -1 maximises it.
    """
    num_models, horizon, num_states, num_actions = leader_rewards.shape
    actions = np.empty((num_models, 3, horizon, num_states), dtype=np.int32)
    findings = np.empty((num_models, NUM_FINDINGS))
    slots = _Slots(
        np.empty((4, 2)),
        np.zeros((4, horizon, num_states), dtype=np.int32),
        np.empty((horizon, num_states, num_actions, 4)),
        np.empty((horizon, 4, num_states)),
        np.empty((horizon, 8, num_states)),
    )
    left = _Left(
        np.empty((horizon, num_states, num_actions), dtype=np.int32),
        np.empty((horizon, num_states), dtype=np.int32),
    )
    for m in range(num_models):
        slots.action[:, 0] = 0  # the first step is solved in the initial state only; no trace of others
        model = Model(transitions[m], leader_rewards[m], follower_rewards[m], initial_states[m], sign)
        _search(model, slacks[m], slots, left, actions[m], findings[m])
    return actions, findings
