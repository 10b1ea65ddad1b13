"""A payoff table in the units the compiled programs expect."""

from dataclasses import dataclass

import numpy as np

from stackel_bench.models import PayoffTable
from stackel_bench.tolerances import payoff_unit


@dataclass(frozen=True, eq=False)
class UnitPayoffs:
    """Both matrices [A,B] divided by powers of two (exactly), so that the largest entry is in [1/2, 1)."""

    leader: np.ndarray
    follower: np.ndarray
    leader_unit: float
    follower_unit: float


def unit_payoffs(table: PayoffTable) -> UnitPayoffs:
    """The table in units, as fresh writable arrays (compiled code has one specialisation, for those)."""
    leader_unit = payoff_unit(table.leader_means)
    follower_unit = payoff_unit(table.follower_means)
    return UnitPayoffs(
        table.leader_means / leader_unit, table.follower_means / follower_unit, leader_unit, follower_unit
    )
