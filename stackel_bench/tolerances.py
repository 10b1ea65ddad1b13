"""Every tolerance of planning on tables, by name: what it guards against, and why it has that size.

A tie is what a person who typed decimals takes for one: 0.1 + 0.2 ties with 0.3. Planning, evaluation and
figures share one reading of it, `Ties`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

# Relative distance of neighbouring floats: one operation is wrong by half of it at most.
FLOAT_STEP = 2.0**-52
# What a typed payoff may be off by, in units of the largest one: a few roundings, as in 0.1 + 0.2.
INPUT_NOISE = 4 * FLOAT_STEP
# Payoffs closer than this, in units of the largest one, are tied: 4000 times the rounding of one operation,
# 1000 times finer than any solver's feasibility tolerance, so decimals tie and nothing else does.
TIE = 2.0**-40
# The same for means that are sums of many rounded terms, features times parameters or rewards over pulls.
SUM_TIE = 1e-9
# A lead above this is real: a vertex satisfies its constraints only up to TIE, and combines several of them.
STRICT = 16 * TIE
# Margin that a reply which must not count keeps at least: rounding a strategy must not undo it, so as STRICT.
FINEST_SHIFT = STRICT
# Leader values closer than this are equal: they come out of sums and searches right to about 1e-12.
VALUE = 1e-9
# A supremum counts as attained if the bound is so near: as near as relaxing every constraint by TIE allows.
ATTAINED = 2.0**-36
# A gap's interval is finished if it is narrower, in units of the largest payoff: bounds are relaxed by TIE.
NARROW = 1e-9
# Probabilities may sum to 1 up to this: typed decimals, or a sum of thousands of rounded terms.
PROBABILITY_SUM = 1e-9
# Replies this far beyond the edge of the response set are flagged as nearly tied: 1000 times TIE.
NEAR_TIE = 1e-9
# Slack of a constraint that counts as tight among payoffs scaled to [1,2], for vertices of small systems.
TIGHT = 1e-9
# Determinants of up to 16 x 16 systems with entries in [1,2] below this belong to singular ones.
SINGULAR = 1e-13


class PivotTolerances(NamedTuple):
    """What the dual simplex is told; payoffs are in units of the largest one."""

    feasibility: float = TIE  # a constraint violated by less is met: the same thing as a tie
    smallest_pivot: float = 1e-11  # entries below are rounding: dividing by them would blow it up
    equal_ratios: float = 1e-14  # ratios so close are tied, and the larger pivot is taken: a few roundings
    negligible: float = 1e-9  # disjunctions violated by less are not branched on: nothing to gain
    least_fall: float = 1e-7  # falls of a bound below it are compared as equal when choosing a branch


PIVOTS = PivotTolerances()


@dataclass(frozen=True)
class Ties:
    """What counts as a tie: at a slack, the responses behind the best one by at most slack + tolerance."""

    tolerance: float

    @classmethod
    def among(cls, payoffs: np.ndarray) -> Ties:
        """TIE in units of the largest of these payoffs; for a table, of all its follower means."""
        return cls(TIE * payoff_unit(payoffs))

    def reach(self, slack: float) -> float:
        """How far behind the best response another one may be and still count."""
        return slack + self.tolerance


def payoff_unit(payoffs: np.ndarray) -> float:
    """The least power of two above every payoff's size, 1 if all are 0; dividing by it is exact."""
    largest = float(np.maximum.reduce(np.abs(payoffs), axis=None))
    return math.ldexp(1.0, math.frexp(largest)[1]) if largest > 0 else 1.0
