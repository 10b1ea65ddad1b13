"""Every tolerance of the package, by name: what it compares, and why it has that size.

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
# Relative error of rounding a number to float32.
FLOAT32_ROUNDING = 2.0**-24
# What a typed payoff may be off by, in units of the largest one: a few roundings, as in 0.1 + 0.2.
INPUT_NOISE = 4 * FLOAT_STEP
# Payoffs closer than this, in units of the largest one, are tied: 4000 times the rounding of one operation,
# 1000 times finer than any solver's feasibility tolerance, so decimals tie and nothing else does.
TIE = 2.0**-40
# The same for means that are sums of many rounded terms, features times parameters or rewards over pulls: two
# that are closer are tied, and one that leaves [0,1] by less has not left it.
SUM_TIE = 1e-9
# The same for action values of a follower MDP, per step of the horizon and in units of the largest reward:
# each step adds a rounded mean over states. 0 breaks on decimal rewards, 1e-4 merges what differs.
STEP_TIE = 2.0**-43
# A policy so little below the chord of two others lies on it, in the units of STEP_TIE: a quarter of a tie,
# so that the search for a better one ends where rounding begins.
ON_CHORD = 2.0**-45
# A lead above this is real: a vertex satisfies its constraints only up to TIE, and combines several of them.
STRICT = 16 * TIE
# Margin that a reply which must not count keeps at least: rounding a strategy must not undo it, so as STRICT.
FINEST_SHIFT = STRICT
# Leader values closer than this are equal: they come out of sums and searches right to about 1e-12.
VALUE = 1e-9
# The least that linear programs by scipy (HiGHS) accept; fast methods are compared with them above it.
HIGHS = 1e-10
# A supremum counts as attained if the bound is so near: as near as relaxing every constraint by TIE allows.
ATTAINED = 2.0**-36
# A gap's interval is finished if it is narrower, in units of the largest payoff: bounds are relaxed by TIE.
NARROW = 1e-9
# Probabilities may sum to 1 up to this: typed decimals, or a sum of thousands of rounded terms.
PROBABILITY_SUM = 1e-9
# Width that certified intervals have if nobody asks for another: below any difference that matters to people.
ACCURACY = 1e-6
# Margin that excluded replies usually keep, as a share of the accuracy: little loss, and rounding keeps it.
SHIFT_PER_ACCURACY = 2e-3
# Slack of a constraint that counts as tight among payoffs scaled to [1,2], for vertices of small systems.
TIGHT = 1e-9
# Determinants of up to 16 x 16 systems with entries in [1,2] below this belong to singular ones.
SINGULAR = 1e-13
# A limit on a typed parameter that is itself a sum of typed decimals may be exceeded by its last bits.
TYPED_LIMIT = 1e-12
# A simulator's sum of many rewards may miss the range of its terms by its last bits, relatively.
REWARD_SUM = 1e-12
# Numbers computed again with another version of numpy or numba agree up to this, relative and absolute.
RECOMPUTED = 1e-9

# Core sets. The largest leverage is right to this, relatively; where rounding says less, it is computed anew.
LEVERAGE = 1e-9
# Share of a confidence radius that is added for rounding: a Gram matrix of whitened features has a condition
# of at most the number of queries, so that this covers some 1e9 of them.
RADIUS_ROUNDING = 1e-6
# Features whose directions differ more in size are refused: a fit would lose six digits and more.
WORST_CONDITION = 1e10
# A direction below so many units of rounding of the largest features is rounding.
ROUNDING_UNITS = 64
# Share of a leverage given away so that float32 rounding is covered by a multiple of the squared norm.
FLOAT32_SPREAD = 1e-3

# Iterations. A fixed point is reached once it moves by less, relatively: thousands of roundings of one step.
FIXED_POINT = 1e-12
# A bisection ends at this relative width, and a series at a term this small beside its sum: both are below
# half a FLOAT_STEP, so that more would change no digit.
NARROWEST = 1e-16
LEAST_TERM = 1e-17
# A quantile's iteration ends at this error of the root of -log of its level, or at this relative width.
QUANTILE_ERROR = 1e-10
QUANTILE_WIDTH = 1e-15
# A contour integral ends where what is left is this small beside it: well below QUANTILE_ERROR.
INTEGRAL_REST = 1e-14


# Characteristic times. The cost of the cheapest wrong game is right to this share, and the interval's ends to
# this factor, below the 1.05 that is promised.
WRONG_GAME = 0.01
TIME_RATIO = 1.045
# Slopes of Bernoulli divergences are divided by at least this: means of 0 and 1 have no finite one.
LEAST_VARIANCE = 1e-300


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
