"""A payoff table in the units the compiled programs expect, and the gap below which replies count as tied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackel_bench.models import PayoffTable

# Follower payoffs of mixed strategies are sums of rounded products; differences below this, in units of the
# largest payoff, are not told apart. Far below any solver's feasibility tolerance.
TIE_TOLERANCE = 2.0**-40


@dataclass(frozen=True, eq=False)
class UnitPayoffs:
    """Both matrices [A,B] divided by powers of two (exactly), so that the largest entry is in [1/2, 1)."""

    leader: np.ndarray
    follower: np.ndarray
    leader_unit: float
    follower_unit: float


def unit_payoffs(table: PayoffTable) -> UnitPayoffs:
    """The table in units, as fresh writable arrays (compiled code has one specialisation, for those)."""
    leader_unit = _power_of_two_above(table.leader_means)
    follower_unit = _power_of_two_above(table.follower_means)
    return UnitPayoffs(
        table.leader_means / leader_unit, table.follower_means / follower_unit, leader_unit, follower_unit
    )


def _power_of_two_above(values: np.ndarray) -> float:
    largest = max(float(values.max()), -float(values.min()))
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]))) if largest > 0 else 1.0
