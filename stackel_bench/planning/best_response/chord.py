"""Returns two follower policies whose mixture is the constrained best response, by a chord search (numba).

The pairs (V1, V2) of all policies form a convex polygon. A is a vertex with V2 >= target, B one with
V2 < target; backward induction in the direction orthogonal to the chord AB finds a vertex below the chord,
which replaces A or B, or proves that the chord is the edge on which the optimum lies. Each replacement
leaves at most a quarter of the triangle that can still hold the frontier, hence the few passes.
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
    mean,
    mean_pair,
    reward_unit,
    write_findings,
)
from stackel_bench.tolerances import ON_CHORD, STEP_TIE

# Rows of the value buffers in _extremes: the exact optima x1, x2, then the values of A and of B.
_X, _A, _B = 0, 2, 4


@kernel(forceinline=True)
def _action_value(
    transitions: np.ndarray, reward1: float, reward2: float, h: int, s: int, b: int, later: np.ndarray, i: int
) -> tuple[float, float]:
    """(V1, V2) of playing b in s at step h if rows i and i+1 of later hold the values of the next step."""
    if h == transitions.shape[0] - 1:
        return reward1, reward2
    d1, d2 = mean_pair(transitions, h, s, b, later, i)
    return reward1 + d1, reward2 + d2


@kernel
def _extremes(
    model: Model,
    tie1: float,
    tie2: float,
    action_a: np.ndarray,
    action_b: np.ndarray,
    buffers: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """[min V1, max V2, V1 of A, V2 of A, V1 of B, V2 of B] from the initial state.

    A maximises V2 and then minimises V1, B the reverse. Ties are judged against the exact optima x1, x2,
    which are carried beside the values of the chosen policies.
    """
    # Unpacked once: numba counts references at each access to a field.
    transitions, first, second, start, sign = model
    horizon, num_states, num_actions = first.shape
    later, now = buffers
    q = np.empty((num_actions, 2))
    for h in range(horizon - 1, -1, -1):
        for s in range(start if h == 0 else 0, start + 1 if h == 0 else num_states):
            x1 = np.inf
            x2 = -np.inf
            for b in range(num_actions):
                q1, q2 = _action_value(
                    transitions, sign * first[h, s, b], second[h, s, b], h, s, b, later, _X
                )
                q[b, 0] = q1
                q[b, 1] = q2
                x1 = min(x1, q1)
                x2 = max(x2, q2)
            now[_X, s] = x1
            now[_X + 1, s] = x2
            now[_A, s] = np.inf
            now[_B + 1, s] = -np.inf
            for b in range(num_actions):
                if q[b, 1] >= x2 - tie2:
                    v1, v2 = _action_value(
                        transitions, sign * first[h, s, b], second[h, s, b], h, s, b, later, _A
                    )
                    if v1 < now[_A, s]:
                        now[_A, s] = v1
                        now[_A + 1, s] = v2
                        action_a[h, s] = b
                if q[b, 0] <= x1 + tie1:
                    v1, v2 = _action_value(
                        transitions, sign * first[h, s, b], second[h, s, b], h, s, b, later, _B
                    )
                    if v2 > now[_B + 1, s]:
                        now[_B, s] = v1
                        now[_B + 1, s] = v2
                        action_b[h, s] = b
        later, now = now, later
    return later[:, start]


@kernel
def _vertex(
    model: Model, weight1: float, weight2: float, action: np.ndarray, buffers: tuple[np.ndarray, np.ndarray]
) -> tuple[float, float]:
    """(V1, V2) of a policy that minimises weight1 V1 - weight2 V2; its actions go to action [H,S]."""
    # Unpacked once: numba counts references at each access to a field.
    transitions, first, second, start, sign = model
    horizon, num_states, num_actions = first.shape
    later, now = buffers
    q = np.empty(num_actions)
    signed = weight1 * sign
    for h in range(horizon - 1, -1, -1):
        for s in range(start if h == 0 else 0, start + 1 if h == 0 else num_states):
            for b in range(num_actions):
                q[b] = signed * first[h, s, b] - weight2 * second[h, s, b]
            if h < horizon - 1:
                for b in range(num_actions):
                    q[b] += mean(transitions, h, s, b, later)
            # After the sums, not among them: an unforeseen branch would stall the next row's reads.
            chosen = 0
            for b in range(1, num_actions):
                if q[b] < q[chosen]:
                    chosen = b
            v1, v2 = _action_value(
                transitions, sign * first[h, s, chosen], second[h, s, chosen], h, s, chosen, later, 1
            )
            action[h, s] = chosen
            now[0, s] = weight1 * v1 - weight2 * v2
            now[1, s] = v1
            now[2, s] = v2
        later, now = now, later
    return later[1, start], later[2, start]


@kernel
def search_chords(
    model: Model,
    slack: float,
    work: np.ndarray,
    buffers: tuple[np.ndarray, np.ndarray],
    actions: np.ndarray,
    findings: np.ndarray,
) -> None:
    """Minimise V1 subject to V2 >= max V2 - slack; writes actions [3,H,S] (A, B, else) and findings [7].

    The optimum is A with probability findings[WEIGHT], else B; "else" serves states that neither visits.
    """
    horizon = model.leader_rewards.shape[0]
    scale1 = reward_unit(model.leader_rewards)
    scale2 = reward_unit(model.follower_rewards)
    tie = STEP_TIE * horizon
    ends = _extremes(model, tie * scale1, tie * scale2, work[0], work[1], buffers)
    x2, a1, a2, b1, b2 = ends[1], ends[2], ends[3], ends[4], ends[5]
    target = x2 - slack
    a, b, c = 0, 1, 2
    weight = 1.0
    multiplier = 0.0
    passes = 1
    status = UNFINISHED
    if slack <= horizon * tie * scale2:
        status = LEXICOGRAPHIC
        multiplier = np.inf
        c = a
    elif b2 >= target:
        status = SLACK
        weight = 0.0
        c = b
    while status == UNFINISHED and passes < MAX_PASSES:
        run = (a2 - b2) / scale2
        rise = (a1 - b1) / scale1
        if rise <= ON_CHORD * horizon:
            status = CONSTANT
            c = a
            break
        weight1 = run / (run + rise) / scale1
        weight2 = rise / (run + rise) / scale2
        c1, c2 = _vertex(model, weight1, weight2, work[c], buffers)
        passes += 1
        drop = weight1 * (a1 - c1) - weight2 * (a2 - c2)
        if drop <= ON_CHORD * horizon or not b2 < c2 < a2:
            status = ACTIVE
            weight = min(max((target - b2) / (a2 - b2), 0.0), 1.0)
            multiplier = (a1 - b1) / (a2 - b2)
        elif c2 >= target:
            a1, a2 = c1, c2
            a, c = c, a
        else:
            b1, b2 = c1, c2
            b, c = c, b
    actions[0] = work[a]
    actions[1] = work[b]
    actions[2] = work[c]
    findings[FOLLOWER_OPTIMUM] = x2
    write_findings(findings, model.sign, (a1, a2), (b1, b2), weight, multiplier, status, passes)
