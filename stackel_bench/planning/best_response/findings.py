"""What every best-response solver is given and what it reports."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
