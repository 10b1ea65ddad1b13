"""What every best-response search is given, how it takes means over the next state, and what it reports.

Sums run in four lanes, every fourth state, that are added at the end: always in this order, so that no
processor changes a bit. That costs up to twice the time of sums in any order: little beside exploring.
"""

import math
from typing import NamedTuple

import numpy as np

from stackel_bench.kernel import kernel

# Columns of a row of findings.
LEADER_VALUE, FOLLOWER_VALUE, FOLLOWER_OPTIMUM, MULTIPLIER, WEIGHT, STATUS, PASSES = range(7)
NUM_FINDINGS = 7

# Codes in the column STATUS.
UNFINISHED, LEXICOGRAPHIC, SLACK, CONSTANT, ACTIVE = range(5)
STATUS_NAMES = ("unfinished", "lexicographic", "slack", "constant", "active")

MAX_PASSES = 64  # 44 suffice in exact arithmetic, for any number of states, actions and steps


class Model(NamedTuple):
    """One model as the kernels see it; V1 is sign times the leader's value and is minimised."""

    transitions: np.ndarray
    leader_rewards: np.ndarray
    follower_rewards: np.ndarray
    start: int
    sign: float
    unit1: float  # of the leader's rewards: the power of two above each of them
    unit2: float  # of the follower's


@kernel
def reward_unit(rewards: np.ndarray) -> float:
    """The power of two above every |reward|, so that dividing by it is exact; 1 where all are 0."""
    largest = np.abs(rewards).max()
    return math.ldexp(1.0, math.frexp(largest)[1]) if largest > 0 else 1.0


@kernel
def write_findings(
    findings: np.ndarray,
    sign: float,
    goal: tuple[float, float],
    a: tuple[float, float],
    b: tuple[float, float],
    status: int,
    passes: int,
) -> None:
    """Write all findings from the goal (the follower's optimum, its target) and the policies' (V1, V2)."""
    optimum, target = goal
    a1, a2 = a
    b1, b2 = b
    weight = 0.0 if status == SLACK else 1.0
    multiplier = np.inf if status == LEXICOGRAPHIC else 0.0
    if status == ACTIVE:
        weight = min(max((target - b2) / (a2 - b2), 0.0), 1.0)
        multiplier = (a1 - b1) / (a2 - b2)
    findings[LEADER_VALUE] = sign * (a1 if weight == 1.0 else b1 + weight * (a1 - b1))
    findings[FOLLOWER_VALUE] = a2 if weight == 1.0 else b2 + weight * (a2 - b2)
    findings[FOLLOWER_OPTIMUM] = optimum
    findings[MULTIPLIER] = multiplier
    findings[WEIGHT] = weight
    findings[STATUS] = status
    findings[PASSES] = passes


@kernel(forceinline=True)
def mean(weights: np.ndarray, values: np.ndarray) -> float:
    """The mean of values [S] under the probabilities weights [S] of the next state."""
    lane_0 = lane_1 = lane_2 = lane_3 = 0.0
    whole = len(values) - len(values) % 4
    for k in range(0, whole, 4):
        lane_0 += weights[k] * values[k]
        lane_1 += weights[k + 1] * values[k + 1]
        lane_2 += weights[k + 2] * values[k + 2]
        lane_3 += weights[k + 3] * values[k + 3]
    total = (lane_0 + lane_1) + (lane_2 + lane_3)
    for k in range(whole, len(values)):
        total += weights[k] * values[k]
    return total
