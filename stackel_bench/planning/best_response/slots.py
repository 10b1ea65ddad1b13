"""Backward inductions in several directions at once, later ones on the actions that may still be optimal.

A direction t in [0,1] minimises (1-t) V1 - t V2. Action values are concave in t, so between two directions
i < j an action lies above the straight line through its two values, and the optimum lies below the lines of
the two stored policies: an action whose line stays above is never chosen between i and j and its row is not
read again.
"""

from typing import NamedTuple

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.best_response.findings import LEXICOGRAPHIC, SLACK, UNFINISHED, Model, mean
from stackel_bench.tolerances import STEP_TIE


class Slots(NamedTuple):
    """What is remembered of K directions; weights scale the rewards into [-1,1] as well."""

    weights: np.ndarray  # [K,2]: a slot minimises weights[0] V1 - weights[1] V2
    action: np.ndarray  # [K,H,S], or more
    q: np.ndarray  # [H,S,B,K]: values of actions in the slot's direction; [1,S,B,K] where nobody asks later
    optima: np.ndarray  # [H,K,S]: their least
    values: np.ndarray  # [H,K,2,S]: V1 and V2 of the slot's policy


class Left(NamedTuple):
    """The actions that may still be optimal: the first counts[h,s] of rows[h,s]."""

    rows: np.ndarray  # [H,S,B]
    counts: np.ndarray  # [H,S]


@kernel
def first_look(model: Model, slack: float, slots: Slots, directions: np.ndarray) -> tuple[float, float, int]:
    """Fill all slots; the follower's optimum, the V2 to be reached, and the status if that is all."""
    horizon, last = len(model.leader_rewards), len(directions) - 1
    aim(model, slots, directions)
    _first_pass(model, slots, STEP_TIE * horizon)
    optimum = 0.0 - slots.optima[0, last, model.start] * model.unit2  # never -0.0
    status = UNFINISHED
    if slack <= horizon * (STEP_TIE * horizon) * model.unit2:
        status = LEXICOGRAPHIC
    elif slots.values[0, 0, 1, model.start] >= optimum - slack:
        status = SLACK
    return optimum, optimum - slack, status


@kernel
def aim(model: Model, slots: Slots, directions: np.ndarray) -> None:
    """Set the weights of all slots to their directions."""
    slots.weights[:, 0] = (1.0 - directions) / model.unit1
    slots.weights[:, 1] = directions / model.unit2


@kernel
def _first_pass(model: Model, slots: Slots, tie: float) -> None:
    """Fill all slots.

    The first one is B (min V1, then max V2), the last one A (max V2, then min V1): ties are judged against
    the exact optima; in the slots between any optimal action will do.
    """
    # Unpacked once: numba counts references at each access to a field.
    transitions, first, second, start, sign, _, _ = model
    weights, action, q, optima, values = slots
    horizon, num_states, num_actions = first.shape
    last = len(weights) - 1
    for h in range(horizon - 1, -1, -1):
        continues = h < horizon - 1
        here = min(h, len(q) - 1)
        for s in range(start if h == 0 else 0, start + 1 if h == 0 else num_states):
            optima[h, :, s] = np.inf
            for b in range(num_actions):
                row, r1, r2 = transitions[h, s, b], sign * first[h, s, b], second[h, s, b]
                for slot in range(last + 1):
                    value = weights[slot, 0] * r1 - weights[slot, 1] * r2
                    if continues:
                        value += mean(row, optima[h + 1, slot])
                    q[here, s, b, slot] = value
                    optima[h, slot, s] = min(optima[h, slot, s], value)
            for slot in range(last + 1):
                at_an_end = slot == 0 or slot == last
                bound = optima[h, slot, s] + (tie if at_an_end else 0.0)
                found = False
                for b in range(num_actions):
                    if q[here, s, b, slot] > bound or (found and not at_an_end):
                        continue
                    v1 = sign * first[h, s, b]
                    v2 = second[h, s, b]
                    if continues:
                        v1 += mean(transitions[h, s, b], values[h + 1, slot, 0])
                        v2 += mean(transitions[h, s, b], values[h + 1, slot, 1])
                    better = v2 > values[h, slot, 1, s] if slot == 0 else v1 < values[h, slot, 0, s]
                    if not found or better:
                        found = True
                        values[h, slot, 0, s] = v1
                        values[h, slot, 1, s] = v2
                        action[slot, h, s] = b


@kernel
def _drop_actions(
    slots: Slots, rows: np.ndarray, count: int, i: int, j: int, tie: float, h: int, s: int
) -> int:
    """How many actions may be optimal between the slots i and j; they move to the front of rows [B]."""
    weights, _, q, optima, values = slots
    # Height of each stored policy's line above the optimum at the other end of the bracket.
    over_i = weights[j, 0] * values[h, i, 0, s] - weights[j, 1] * values[h, i, 1, s] - optima[h, j, s]
    over_j = weights[i, 0] * values[h, j, 0, s] - weights[i, 1] * values[h, j, 1, s] - optima[h, i, s]
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
def next_pass(model: Model, slots: Slots, left: Left, bracket: tuple[int, int, int, int], tie: float) -> None:
    """Fill the slots low and high, with directions between those of slots b and a, on rows left."""
    transitions, first, second, start, sign, _, _ = model
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
                    v1 = values[h, slot_a, 0, s]
                    v2 = values[h, slot_a, 1, s]
                    values[h, slot, 0, s] = v1
                    values[h, slot, 1, s] = v2
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
                    row = transitions[h, s, b]
                    low1 += mean(row, values[h + 1, low, 0])
                    low2 += mean(row, values[h + 1, low, 1])
                    high1 += mean(row, values[h + 1, high, 0])
                    high2 += mean(row, values[h + 1, high, 1])
                q[h, s, b, low] = weights[low, 0] * low1 - weights[low, 1] * low2
                q[h, s, b, high] = weights[high, 0] * high1 - weights[high, 1] * high2
                if q[h, s, b, low] < optima[h, low, s]:
                    optima[h, low, s] = q[h, s, b, low]
                    values[h, low, 0, s] = low1
                    values[h, low, 1, s] = low2
                    action[low, h, s] = b
                if q[h, s, b, high] < optima[h, high, s]:
                    optima[h, high, s] = q[h, s, b, high]
                    values[h, high, 0, s] = high1
                    values[h, high, 1, s] = high2
                    action[high, h, s] = b
        settled = settled and settled_here
