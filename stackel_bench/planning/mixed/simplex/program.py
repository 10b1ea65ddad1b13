"""The linear program that every search here solves, and a state of its dual simplex.

    max t   s.t.   pi in the simplex,   pi.(reference - matrix[:,r]) >= lower[r]  for every row r,
                   pi.objectives[:,k] >= t  for every active k.

A state is an affine map from A non-basic variables x (each at 0) to the point: pi_a = offset[a] + rows[a].x
and t = offset[A] + rows[A].x. Only basic pi_a have a stored row, so a pivot costs (support + 1) x A, and a
state is small enough to be copied for every branch. Variables are numbered pi_a: a, row r: A + r, objective
k: A + R + k. Starting at the best action for one objective makes the dual feasible, so there is no first
phase; raising a lower bound or activating an objective keeps it so.

Plain loops instead of array expressions, and no literal arguments (each would be a specialisation of its
own), keep compilation short.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.models import PayoffTable
from stackel_bench.tolerances import payoff_unit

# Modes of an objective; INCLUDED ones are active, EXCLUDED ones have their row raised instead.
UNDECIDED, INCLUDED, EXCLUDED, IDLE = 0, 1, 2, 3


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


class Program(NamedTuple):
    """What stays fixed while pivoting: matrix [A,R], reference [A], objectives [A,K]; work space [R], [A]."""

    matrix: np.ndarray
    reference: np.ndarray
    objectives: np.ndarray
    payoffs: np.ndarray
    entries: np.ndarray


class State(NamedTuple):
    """rows [A+1,A], offset [A+1], variable of each column [A], column of each pi_a or -1 [A], mode [K].

    lower [R] is what the pivots enforce, true_lower [R] what bounds may rely on. A stack of states has one
    more axis in front of each.
    """

    rows: np.ndarray
    offset: np.ndarray
    nonbasic: np.ndarray
    column_of: np.ndarray
    mode: np.ndarray
    lower: np.ndarray
    true_lower: np.ndarray


@kernel(error_model="numpy")
def program_of(matrix: np.ndarray, reference: np.ndarray, objectives: np.ndarray) -> Program:
    """The program with room for its work."""
    actions, num_rows = matrix.shape
    return Program(matrix, reference, objectives, np.empty(num_rows), np.empty(actions))


@kernel(error_model="numpy")
def empty_state(actions: int, num_objectives: int, lower: np.ndarray, relaxed: float) -> State:
    """Room for one state, no objective active; bounds may rely on less than the lower bounds [R]."""
    true_lower = np.empty(lower.size)
    for r in range(lower.size):
        true_lower[r] = lower[r] - relaxed
    return State(
        np.empty((actions + 1, actions)),
        np.empty(actions + 1),
        np.empty(actions, np.int64),
        np.empty(actions, np.int64),
        np.zeros(num_objectives, np.int8),
        lower.copy(),
        true_lower,
    )


@kernel(error_model="numpy")
def level_of(stack: State, level: int) -> State:
    """One state of a stack, as views."""
    return State(
        stack.rows[level],
        stack.offset[level],
        stack.nonbasic[level],
        stack.column_of[level],
        stack.mode[level],
        stack.lower[level],
        stack.true_lower[level],
    )


@kernel(error_model="numpy")
def copy_state(source: State, target: State) -> None:
    """Write one state over another; rows of non-basic variables hold nothing and are left out."""
    actions = source.nonbasic.shape[0]
    for a in range(actions + 1):
        target.offset[a] = source.offset[a]
        if a == actions or source.column_of[a] < 0:
            for j in range(actions):
                target.rows[a, j] = source.rows[a, j]
    for j in range(actions):
        target.nonbasic[j] = source.nonbasic[j]
        target.column_of[j] = source.column_of[j]
    for b in range(source.mode.shape[0]):
        target.mode[b] = source.mode[b]
        target.lower[b] = source.lower[b]
        target.true_lower[b] = source.true_lower[b]


@kernel(error_model="numpy")
def start(program: Program, first: int, state: State) -> None:
    """Write the dual feasible state at the best action for one objective, and activate that one."""
    objectives, (actions, num_rows) = program.objectives, program.matrix.shape
    best = 0
    for a in range(1, actions):
        if objectives[a, first] > objectives[best, first]:
            best = a
    column = 0
    for a in range(actions):
        state.offset[a] = 0.0
        state.column_of[a] = -1
        if a != best:
            state.nonbasic[column] = a
            state.column_of[a] = column
            state.rows[best, column] = -1.0
            state.rows[actions, column] = objectives[a, first] - objectives[best, first]
            column += 1
    state.nonbasic[column] = actions + num_rows + first
    state.rows[best, column] = 0.0
    state.rows[actions, column] = -1.0
    state.offset[best] = 1.0
    state.offset[actions] = objectives[best, first]
    state.mode[first] = INCLUDED


@kernel(error_model="numpy")
def write_strategy(state: State, strategy: np.ndarray) -> None:
    """Write the state's point as a strategy [A], free of rounding below 0."""
    total = 0.0
    for a in range(strategy.shape[0]):
        strategy[a] = max(0.0, state.offset[a]) if state.column_of[a] < 0 else 0.0
        total += strategy[a]
    for a in range(strategy.shape[0]):
        strategy[a] /= total
