"""The dual simplex: repairs the most violated constraint of a state until none is left.

One step: take a basic variable that is negative (it leaves), write it in terms of the non-basic ones, and
among those that can raise it take the one that costs the bound least per unit (it enters). The bound t only
falls. What a state proves is computed from the data alone: right whatever the pivots did, up to rounding.
"""

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.mixed.simplex.program import INCLUDED, Program, State
from stackel_bench.tolerances import PIVOTS

OPTIMAL, CUTOFF, INFEASIBLE, STOPPED = 0, 1, 2, 3  # how a run of pivots ends
MOST_PIVOTS = 100_000


@kernel(error_model="numpy")
def reoptimise(program: Program, state: State, stop: float, limit: int | np.int64) -> tuple[int, int]:
    """Pivot until nothing is violated, the bound falls to stop, a row cannot be repaired, or the limit.

    Returns (status, variable that left last); after INFEASIBLE program.entries holds the row beyond repair.
    """
    actions = program.matrix.shape[0]
    entries, bounds = program.entries, state.rows[actions]
    leaving = -1
    for iteration in range(limit):
        if state.offset[actions] <= stop:
            return CUTOFF, leaving
        # Largest violation first; after many pivots the first one (Bland's rule), which cannot cycle.
        bland = iteration > 200 + 20 * actions
        leaving, value = _violated(program, state, bland)
        if leaving < 0:
            return OPTIMAL, leaving
        _row_of(program, state, leaving)
        entering, smallest = actions, np.inf  # no column yet
        for j in range(actions):
            if entries[j] <= PIVOTS.smallest_pivot:
                continue
            ratio = max(0.0, -bounds[j]) / entries[j]
            if ratio > smallest + PIVOTS.equal_ratios:
                continue
            tied = ratio >= smallest - PIVOTS.equal_ratios
            preferred = tied and (
                state.nonbasic[j] < state.nonbasic[entering] if bland else entries[j] > entries[entering]
            )
            if preferred or not tied:
                entering, smallest = j, min(ratio, smallest)
        if entering == actions:
            return INFEASIBLE, leaving
        _pivot(state, entries, leaving, entering, value)
    return STOPPED, leaving


@kernel(error_model="numpy")
def _violated(program: Program, state: State, take_first: bool) -> tuple[int, float]:
    """(variable, value) of the most negative basic variable, or the first; variable -1 if there is none."""
    actions, num_rows = program.matrix.shape
    worst, leaving = -PIVOTS.feasibility, -1
    base = 0.0
    for r in range(num_rows):
        program.payoffs[r] = 0.0
    for a in range(actions):
        weight = state.offset[a]
        if state.column_of[a] >= 0 or weight == 0.0:
            continue
        if weight < worst and not (take_first and leaving >= 0):
            worst, leaving = weight, a
        base += weight * program.reference[a]
        for r in range(num_rows):
            program.payoffs[r] += weight * program.matrix[a, r]
    for r in range(num_rows):
        value = base - program.payoffs[r] - state.lower[r]
        if value < worst and not (take_first and leaving >= 0):
            worst, leaving = value, actions + r
    for k in range(state.mode.shape[0]):
        if state.mode[k] == INCLUDED:
            value = -float(state.offset[actions])
            for a in range(actions):
                if state.column_of[a] < 0:
                    value += state.offset[a] * program.objectives[a, k]
            if value < worst and not (take_first and leaving >= 0):
                worst, leaving = value, actions + num_rows + k
    return leaving, worst


@kernel(error_model="numpy")
def _row_of(program: Program, state: State, variable: int) -> None:
    """Write a basic variable's coefficients on the non-basic ones into program.entries."""
    actions, num_rows = program.matrix.shape
    entries, rows = program.entries, state.rows
    if variable < actions:
        for j in range(actions):
            entries[j] = rows[variable, j]
        return
    r = variable - actions
    k = r - num_rows
    for j in range(actions):
        entries[j] = 0.0 if k < 0 else -rows[actions, j]
    for a in range(actions):
        factor = program.reference[a] - program.matrix[a, r] if k < 0 else program.objectives[a, k]
        if state.column_of[a] >= 0:
            entries[state.column_of[a]] += factor
        else:
            for j in range(actions):
                entries[j] += factor * rows[a, j]


@kernel(error_model="numpy")
def _pivot(state: State, entries: np.ndarray, leaving: int, entering: int, value: float) -> None:
    actions = entries.shape[0]
    rows, offset, column_of = state.rows, state.offset, state.column_of
    inverse = 1.0 / entries[entering]
    for a in range(actions + 1):
        if a < actions and (a == leaving or column_of[a] >= 0):
            continue
        factor = rows[a, entering] * inverse
        if factor != 0.0:
            offset[a] -= value * factor
            for j in range(actions):
                rows[a, j] -= factor * entries[j]
        rows[a, entering] = factor
    entered = state.nonbasic[entering]
    if entered < actions:
        column_of[entered] = -1
        offset[entered] = -value * inverse
        for j in range(actions):
            rows[entered, j] = -entries[j] * inverse
        rows[entered, entering] = inverse
    if leaving < actions:
        column_of[leaving] = entering
        offset[leaving] = 0.0
    state.nonbasic[entering] = leaving


@kernel(error_model="numpy")
def certified_bound(program: Program, state: State) -> float:
    """An upper bound of the program by weak duality."""
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
            value += PIVOTS.feasibility * max(0.0, -state.rows[actions, j])
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
