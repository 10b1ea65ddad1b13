"""What a state proves, computed from the data alone: right whatever the pivots did, up to rounding."""

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.mixed.simplex.program import Program, State


@kernel(error_model="numpy")
def certified_bound(program: Program, state: State) -> float:
    """An upper bound of the program by weak duality: right whatever the pivots did, up to rounding."""
    actions, num_rows = program.matrix.shape
    weights = state.rows[actions]
    total = 0.0
    for j in range(actions):
        if state.nonbasic[j] >= actions + num_rows:
            total += max(0.0, -weights[j])
    if total <= 0.0:
        return np.inf
    largest = -np.inf
    for a in range(actions):
        value = 0.0
        for j in range(actions):
            r = state.nonbasic[j] - actions
            if r < 0 or weights[j] >= 0.0:
                continue
            if r < num_rows:
                value -= weights[j] * (program.reference[a] - program.matrix[a, r] - state.true_lower[r])
            else:
                value -= weights[j] / total * program.objectives[a, r - num_rows]
        largest = max(largest, value)
    return largest


@kernel(error_model="numpy")
def relaxed_value(program: Program, state: State) -> float:
    """The state's value if every row were relaxed by the feasibility tolerance, read off its multipliers."""
    actions, num_rows = program.matrix.shape
    value = float(state.offset[actions])
    for j in range(actions):
        if actions <= state.nonbasic[j] < actions + num_rows:
            value += program.tolerances.feasibility * max(0.0, -state.rows[actions, j])
    return value


@kernel(error_model="numpy")
def proves_infeasible(program: Program, state: State, leaving: int, allowance: float) -> bool:
    """Whether no strategy meets every row by more than the allowance (Farkas, from the data alone)."""
    actions, num_rows = program.matrix.shape
    total = 0.0
    largest = -np.inf
    for a in range(actions):
        value, total = 0.0, 0.0
        for j in range(-1, actions):
            r = (leaving if j < 0 else state.nonbasic[j]) - actions
            weight = 1.0 if j < 0 else -program.entries[j]
            if 0 <= r < num_rows and weight > 0.0:
                value += weight * (program.reference[a] - program.matrix[a, r] - state.true_lower[r])
                total += weight
        largest = max(largest, value)
    return largest <= allowance * total
