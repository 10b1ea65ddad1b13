"""What a decision was worth when it was played out: means of fresh samples, with intervals."""

from typing import NamedTuple

import numpy as np

from stackel_bench.statistics.bounded_mean import mean_interval


class PlayedValues(NamedTuple):
    """Means and 95 % intervals, named as columns are; without ends where nothing bounds a reward."""

    played_leader_value: float
    played_leader_value_low: float
    played_leader_value_high: float
    played_follower_value: float
    played_follower_value_low: float
    played_follower_value_high: float


def played_values(leader: np.ndarray, follower: np.ndarray, low: float, high: float) -> PlayedValues:
    """From what both players earned [n] in independent plays, each within [low, high]."""
    found = []
    for earned in (leader, follower):
        limits = mean_interval(earned, low, high) if np.isfinite([low, high]).all() else (np.nan, np.nan)
        found += [float(earned.mean()), *limits]
    return PlayedValues(*found)
