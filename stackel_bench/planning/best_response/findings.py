"""What every best-response solver is given and what it reports."""

from __future__ import annotations

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


@kernel
def reward_unit(rewards: np.ndarray) -> float:
    """The power of two above every |reward|, so that dividing by it is exact; 1 where all are 0."""
    largest = np.abs(rewards).max()
    return math.ldexp(1.0, math.frexp(largest)[1]) if largest > 0 else 1.0


@kernel
def write_findings(
    findings: np.ndarray,
    sign: float,
    a: tuple[float, float],
    b: tuple[float, float],
    weight: float,
    multiplier: float,
    status: int,
    passes: int,
) -> None:
    """Write all findings but the optimum: A = (V1, V2) with probability weight, else B."""
    a1, a2 = a
    b1, b2 = b
    findings[LEADER_VALUE] = sign * (a1 if weight == 1.0 else b1 + weight * (a1 - b1))
    findings[FOLLOWER_VALUE] = a2 if weight == 1.0 else b2 + weight * (a2 - b2)
    findings[MULTIPLIER] = multiplier
    findings[WEIGHT] = weight
    findings[STATUS] = status
    findings[PASSES] = passes
