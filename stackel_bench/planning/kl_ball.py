"""Values of a follower MDP with transitions in Kullback-Leibler balls, in the best or the worst model.

The balls of different (h,s,b) do not constrain each other, so one backward induction finds the extreme model
together with the value. Values end on the wide side: what is largest is not underestimated, what is smallest
not overestimated. The last layer's transitions matter to nobody and are not looked at.

One step is the largest mean that a law within a ball can give to values V. For laws q with KL(p,q) <= r and
every t >= 0, with g = max V - V (also where p is 0), Jensen's inequality
sum p ln(q (t+g) / p) <= ln sum q (t+g) gives

    q.V = max V + t - sum q (t+g) <= max V + t - exp(sum p ln(t+g) - r).

The right-hand side is convex in t, and its minimum is the largest mean (q = p / (t+g), up to a factor, and
the rest of q, if any, where V is largest). So whatever t a search ends with, the bound is on the wide side.
As written it cancels where r is small and t large. With c = t + p.g and u = (t+g)/c - 1, whose mean is 0, it
is p.V + c (1 - exp(-r - sum p (u - ln(1+u)))), and nothing does.
"""

import math
from typing import NamedTuple

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.statistics.elementary import exp, log
from stackel_bench.statistics.likelihood_mixture import excess
from stackel_bench.tolerances import FLOAT_STEP, ROUNDING_UNITS, SUM_TIE

OUTWARDS = ROUNDING_UNITS * FLOAT_STEP  # share of all that is added up: more than the roundings of one sum
_STEPS = 60  # of the search for t, which takes about 5


@kernel
def largest_mean(law: np.ndarray, values: np.ndarray, radius: float, sign: float) -> float:
    """At least max of sign * q.V over laws q [S] with KL(law, q) <= radius, which may be infinite.

    sign is 1 or -1; law >= 0 sums to 1 up to rounding.
    """
    top, mean, square, reached = -math.inf, 0.0, 0.0, False
    for k in range(values.size):
        top = max(top, sign * values[k])
    for k in range(values.size):
        gap = top - sign * values[k]
        mean += law[k] * gap
        square += law[k] * gap * gap
        reached = reached or (gap == 0.0 and law[k] > 0.0)
    if radius == math.inf or mean == 0.0:
        return top
    outwards = OUTWARDS + FLOAT_STEP * values.size  # the sums have that many terms
    best = top - mean
    room = outwards * (abs(top) + mean)
    if radius <= 0.0:
        return best + room
    low, high, least = 0.0, math.inf, mean
    t = math.sqrt(0.5 * max(square - mean * mean, SUM_TIE * square) / radius)
    if not reached:  # then t = 0 is possible, and best if the ball is large enough
        used, least, _ = _at(law, values, sign, top, mean, 0.0, radius)
        if used <= radius:
            return min(top, best + least * (1.0 + outwards) + room)
    for _ in range(_STEPS):
        if t <= outwards * mean:
            break  # the largest value itself, up to rounding
        used, rise, slope = _at(law, values, sign, top, mean, t, radius)
        least = min(least, rise)
        if abs(used - radius) <= SUM_TIE * radius or high - low <= SUM_TIE * low:
            break
        if used > radius:
            low = t
        else:
            high = t
        # Newton's step for 1/sqrt(used), which is almost linear in t.
        step = 2.0 * used * (1.0 - math.sqrt(used / radius)) / slope if used > 0.0 > slope else 0.0
        if low < t + step < high and step != 0.0:
            t += step
        else:
            t = 2.0 * t if high == math.inf else 0.5 * (low + high)
    return min(top, best + least * (1.0 + outwards) + room)


@kernel
def _at(
    law: np.ndarray, values: np.ndarray, sign: float, top: float, mean: float, t: float, radius: float
) -> tuple[float, float, float]:
    """At this t: KL(law, q) of q = law / (t+g) normalised, the bound minus law.V, the first one's slope."""
    centre = t + mean
    logs = tilt = inverse_square = total = 0.0
    for k in range(values.size):
        if law[k] > 0.0:
            gap = top - sign * values[k]
            ratio, u = (t + gap) / centre, (gap - mean) / centre
            if ratio <= 0.0:
                return math.inf, centre, 0.0
            logs += law[k] * (excess(u) if abs(u) < 0.4 else u - log(ratio))
            tilt += law[k] * u * u / ratio
            inverse_square += law[k] / ratio / ratio
            total += law[k]
    inverse = total + tilt  # sum law / ratio
    slope = (inverse - inverse_square / inverse) / centre
    return tilt - excess(tilt) - logs, centre * _one_minus_exp(radius + logs), slope


@kernel
def _one_minus_exp(y: float) -> float:
    """1 - exp(-y) for y >= 0, with all its digits also where y is small."""
    if y > 0.5:
        return 1.0 - exp(-y)
    series = 1.0
    for degree in range(15, 1, -1):
        series = 1.0 - series * y / degree
    return series * y


class TransitionBalls(NamedTuple):
    """Laws [H,S,B,S] of the next state, each known up to a radius [H,S,B] (infinite: not at all)."""

    laws: np.ndarray
    radii: np.ndarray


@kernel
def best_policy(balls: TransitionBalls, rewards: np.ndarray, side: float) -> tuple[np.ndarray, np.ndarray]:
    """Values [S] from layer 0 on and actions [H,S] of the policy that is best in the best or worst model.

    side 1: at least the maximum over policies and models; side -1: at most the maximum over policies of the
    minimum over models. rewards [H,S,B] may have any sign.
    """
    horizon, states, num_actions = rewards.shape
    values, here = np.zeros(states), np.zeros(states)
    actions = np.zeros((horizon, states), dtype=np.int64)
    for h in range(horizon - 1, -1, -1):
        for s in range(states):
            best = -np.inf
            for b in range(num_actions):
                value = _worth(balls, rewards, values, h, s, b, side)
                if value > best:
                    best = value
                    actions[h, s] = b
            here[s] = best
        values, here = here, values
    return values, actions


@kernel
def policy_value(balls: TransitionBalls, rewards: np.ndarray, policy: np.ndarray, side: float) -> np.ndarray:
    """Values [S] from layer 0 on of a Markov policy [H,S,B] in the best (side 1) or worst model (side -1)."""
    horizon, states, num_actions = rewards.shape
    values, here = np.zeros(states), np.zeros(states)
    for h in range(horizon - 1, -1, -1):
        for s in range(states):
            total = size = 0.0
            for b in range(num_actions):
                if policy[h, s, b] > 0.0:
                    value = _worth(balls, rewards, values, h, s, b, side)
                    total += policy[h, s, b] * value
                    size += abs(policy[h, s, b] * value)
            here[s] = total + side * OUTWARDS * size
        values, here = here, values
    return values


@kernel
def _worth(
    balls: TransitionBalls, rewards: np.ndarray, values: np.ndarray, h: int, s: int, b: int, side: float
) -> float:
    reward = float(rewards[h, s, b])
    if h == rewards.shape[0] - 1:
        return reward
    later: float = side * largest_mean(balls.laws[h, s, b], values, balls.radii[h, s, b], side)
    return reward + later + side * OUTWARDS * (abs(reward) + abs(later))
