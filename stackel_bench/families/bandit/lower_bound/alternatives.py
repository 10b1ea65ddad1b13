"""The cheapest games that make an answer wrong, for given weights of the pairs; bounds are certified.

An answer (a, b) is wrong if another row is surely better by epsilon, or if b is not within epsilon in row a.
With pessimistic tie-breaking the first needs: *some* response within eps/2 in row a has leader mean <= c, and
*all* responses within eps in a row a' have leader mean >= c + eps. Optimistic: leader means negated, the rows
swapped, and slack 0 instead of eps/2. So one problem about two rows serves both:

    some row: response b rises to x, others fall to x + slack, its leader mean falls to c
    all row:  response b0 becomes the best one, at z; every other one either rises to c + eps for the leader
              (and falls to z), or falls out of BR_eps, to z - eps: whichever is cheaper, whatever its weight

Costs are monotone in each of c, x, z, so that boxes have lower bounds, and branch and bound is exact.
"""

import math

import numpy as np

from stackel_bench.families.bandit.lower_bound.divergence import BERNOULLI, fall, rise
from stackel_bench.kernel import kernel
from stackel_bench.tolerances import LEAST_VARIANCE

HALVINGS = 60  # of the interval of x: below the distance of neighbouring floats
MOST_BOXES = 200_000  # of one pair of rows; beyond it the bound is less tight, and still a bound


@kernel
def entry_costs(
    law: int, weights: np.ndarray, follower: np.ndarray, slack: float, costs: np.ndarray, levels: np.ndarray
) -> None:
    """The least cost [B] of each response being within slack of the best one, and the level x that has it.

    Convex in x: the cost of raising b grows, that of lowering others falls; bisection on the slope's sign,
    and a lower bound from the two ends.
    """
    for b in range(len(follower)):
        low, high = follower[b], max(follower[b], np.max(follower) - slack)
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            slope = weights[b] * _slope(law, follower[b], middle)
            for other in range(len(follower)):
                if follower[other] > middle + slack:
                    slope += weights[other] * _slope(law, follower[other], middle + slack)
            if slope < 0.0:
                low = middle
            else:
                high = middle
        total = _times(weights[b], rise(law, follower[b], low))
        for other in range(len(follower)):
            total += _times(weights[other], fall(law, follower[other], high + slack))
        costs[b] = total
        levels[b] = high


@kernel
def _slope(law: int, mean: float, other: float) -> float:
    if law == BERNOULLI:
        return (other - mean) / max(other * (1.0 - other), LEAST_VARIANCE)
    return other - mean


@kernel
def _times(weight: float, cost: float) -> float:
    return 0.0 if cost == 0.0 else weight * cost


@kernel
def two_rows(
    law: int,
    epsilon: float,
    tolerance: float,
    some_weights: np.ndarray,
    some_leader: np.ndarray,
    entry: np.ndarray,
    all_weights: np.ndarray,
    all_leader: np.ndarray,
    all_follower: np.ndarray,
    most: float,
    found: np.ndarray,
) -> float:
    """A lower bound, up to the tolerance tight, of the cost of the two rows; found = (cost, b, c, b0, z).

    Costs beyond `most` are of no interest: the bound is then about that, and found is left as it was.
    """
    least_c, most_c = np.min(all_leader) - epsilon, np.max(some_leader)
    if law == BERNOULLI:
        least_c, most_c = max(0.0, least_c), min(1.0 - epsilon, most_c)
        if least_c > 1.0 - epsilon:
            return math.inf
    most_c = max(least_c, most_c)
    top = np.max(all_follower) + epsilon
    if law == BERNOULLI:
        top = min(1.0, top)
    best, bound = most, most
    stack = np.empty((4096, 4))
    for b0 in np.argsort(-all_follower):
        stack[0] = least_c, most_c, all_follower[b0], max(top, all_follower[b0])
        waiting, boxes = 1, 0
        while waiting > 0:
            waiting -= 1
            c1, c2, z1, z2 = stack[waiting]
            cost, _ = _some_cost(law, some_weights, some_leader, entry, c2)
            cost += _all_cost(law, epsilon, all_weights, all_leader, all_follower, b0, c1, z1, z2)
            boxes += 1
            if cost >= best * (1.0 - tolerance) or boxes > MOST_BOXES or waiting > 4090:
                bound = min(bound, cost)
                continue
            c, z = 0.5 * (c1 + c2), 0.5 * (z1 + z2)
            value, b = _some_cost(law, some_weights, some_leader, entry, c)
            value += _all_cost(law, epsilon, all_weights, all_leader, all_follower, b0, c, z, z)
            if value < best:
                best = value
                found[0], found[1], found[2], found[3], found[4] = value, b, c, b0, z
            # Split where it matters: knowing c, or knowing z, raises the bound more.
            by_c = _some_cost(law, some_weights, some_leader, entry, c)[0]
            by_c += _all_cost(law, epsilon, all_weights, all_leader, all_follower, b0, c, z1, z2)
            by_z = _some_cost(law, some_weights, some_leader, entry, c2)[0]
            by_z += _all_cost(law, epsilon, all_weights, all_leader, all_follower, b0, c1, z, z)
            if c1 < c < c2 and (by_c >= by_z or not z1 < z < z2):
                stack[waiting] = c1, c, z1, z2
                stack[waiting + 1] = c, c2, z1, z2
                waiting += 2
            elif z1 < z < z2:
                stack[waiting] = c1, c2, z, z2
                stack[waiting + 1] = c1, c2, z1, z
                waiting += 2
            else:  # neighbouring floats, or one point
                bound = min(bound, cost)
    return min(best, bound)


@kernel
def _some_cost(
    law: int, weights: np.ndarray, leader: np.ndarray, entry: np.ndarray, c: float
) -> tuple[float, int]:
    best, response = math.inf, 0
    for b in range(len(leader)):
        cost = entry[b] + _times(weights[b], fall(law, leader[b], c))
        if cost < best:
            best, response = cost, b
    return best, response


@kernel
def _all_cost(
    law: int,
    epsilon: float,
    weights: np.ndarray,
    leader: np.ndarray,
    follower: np.ndarray,
    b0: int,
    c: float,
    z_rise: float,
    z_fall: float,
) -> float:
    """What rises goes to z_rise, what falls to z_fall: exact where they are equal, a lower bound of a box."""
    total = _times(weights[b0], rise(law, leader[b0], c + epsilon) + rise(law, follower[b0], z_rise))
    for b in range(len(leader)):
        if b != b0:
            total += _times(weights[b], other_cost(law, epsilon, leader[b], follower[b], c, z_fall))
    return total


@kernel
def other_cost(law: int, epsilon: float, leader: float, follower: float, c: float, z: float) -> float:
    """What a response beside the best one costs per unit of weight: it agrees, or it leaves BR_epsilon."""
    agrees = rise(law, leader, c + epsilon) + fall(law, follower, z)
    return min(agrees, fall(law, follower, z - epsilon))


@kernel
def costs_of(
    law: int,
    epsilon: float,
    slack: float,
    found: np.ndarray,
    level: float,
    some_leader: np.ndarray,
    some_follower: np.ndarray,
    all_leader: np.ndarray,
    all_follower: np.ndarray,
    some_row: np.ndarray,
    all_row: np.ndarray,
) -> None:
    """The divergences [B] of both rows, per unit of weight, in the game that `two_rows` found."""
    b, c, b0, z = int(found[1]), found[2], int(found[3]), found[4]
    for other in range(len(some_leader)):
        some_row[other] = fall(law, some_follower[other], level + slack)
        all_row[other] = other_cost(law, epsilon, all_leader[other], all_follower[other], c, z)
    some_row[b] = rise(law, some_follower[b], level) + fall(law, some_leader[b], c)
    all_row[b0] = rise(law, all_leader[b0], c + epsilon) + rise(law, all_follower[b0], z)


@kernel
def overtaken(
    law: int, epsilon: float, weight: float, mean: float, other_weight: float, other: float
) -> float:
    """Where a response is overtaken by epsilon most cheaply: the other rises to x, it falls to x - epsilon.

    Convex in x; the minimiser by bisection on the slope's sign.
    """
    low, high = other, max(other, mean + epsilon)
    if law == BERNOULLI:
        low, high = max(low, epsilon), min(high, 1.0)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        slope = other_weight * _slope(law, other, middle) + weight * _slope(law, mean, middle - epsilon)
        if slope < 0.0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
