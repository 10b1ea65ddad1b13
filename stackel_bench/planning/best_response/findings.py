"""What every best-response solver reports, and the tolerances by which all of them decide."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Columns of a row of findings.
LEADER_VALUE, FOLLOWER_VALUE, FOLLOWER_OPTIMUM, MULTIPLIER, WEIGHT, STATUS, PASSES = range(7)
NUM_FINDINGS = 7

# Codes in the column STATUS.
UNFINISHED, LEXICOGRAPHIC, SLACK, CONSTANT, ACTIVE = range(5)
STATUS_NAMES = ("unfinished", "lexicographic", "slack", "constant", "active")

# Both tolerances are multiplied by the horizon and hold after rewards are scaled into [-1, 1]. (numba's cache
# does not notice a change in this file: touch the kernels' files as well.)
TIE = 2.0**-43  # action values this close are tied; 0 breaks on decimal rewards, 1e-4 merges what differs
GAP = 2.0**-45  # a vertex this little below the chord lies on it
MAX_PASSES = 64  # 44 suffice in exact arithmetic, for any number of states, actions and steps


class Model(NamedTuple):
    """One model as the kernels see it; V1 is sign times the leader's value and is minimised."""

    transitions: np.ndarray
    leader_rewards: np.ndarray
    follower_rewards: np.ndarray
    start: int
    sign: float
