"""Single programs: the largest minimum of several payoffs, and whether a payoff can be positive at all."""

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.mixed.simplex.bounds import certified_bound, proves_infeasible
from stackel_bench.planning.mixed.simplex.pivots import INFEASIBLE, MOST_PIVOTS, OPTIMAL, STOPPED, reoptimise
from stackel_bench.planning.mixed.simplex.program import INCLUDED, Program, empty_state, start, write_strategy
from stackel_bench.tolerances import PivotTolerances


@kernel(error_model="numpy")
def maximin(
    matrix: np.ndarray,
    reference: np.ndarray,
    lower: np.ndarray,
    objectives: np.ndarray,
    tolerances: PivotTolerances,
    stop: float,
) -> tuple[int, float, np.ndarray]:
    """(status, bound, strategy [A]) of the program with every objective active; CUTOFF if at most stop.

    bound holds for all strategies that violate the rows by at most the feasibility tolerance; it is -inf if
    there are none. STOPPED if that can neither be proved nor a strategy be found.
    """
    actions, num_rows = matrix.shape
    program = Program(matrix, reference, objectives, tolerances, np.empty(num_rows), np.empty(actions))
    state = empty_state(actions, num_rows, objectives.shape[1], 0.0, 0.0)
    for r in range(num_rows):
        state.lower[r] = lower[r]
        state.true_lower[r] = lower[r] - tolerances.feasibility
    for k in range(objectives.shape[1]):
        state.mode[k] = INCLUDED
    start(program, k, state)
    status, leaving = reoptimise(program, state, stop, np.int64(MOST_PIVOTS))
    strategy = np.empty(actions)
    write_strategy(state, strategy)
    if status == INFEASIBLE:
        if proves_infeasible(program, state, leaving, 0.0):
            return status, -np.inf, strategy
        status = STOPPED
    return status, certified_bound(program, state), strategy


@kernel(error_model="numpy")
def vanishes(
    matrix: np.ndarray,
    reference: np.ndarray,
    lower: np.ndarray,
    lead: np.ndarray,
    tolerances: PivotTolerances,
    noise: float,
) -> bool:
    """Whether pi.lead [A] is proved to be <= 0 for every strategy that meets the rows.

    By duality, lead plus a combination of rows that are >= 0 is <= 0 at every action. Entries within the
    feasibility tolerance are taken to be 0, others to be off by the noise at most.
    """
    actions, num_rows = matrix.shape
    objective = lead.copy().reshape(actions, 1)
    program = Program(matrix, reference, objective, tolerances, np.empty(num_rows), np.empty(actions))
    state = empty_state(actions, num_rows, 1, 0.0, 0.0)
    for r in range(num_rows):
        state.lower[r] = lower[r]
    state.mode[0] = INCLUDED
    start(program, 0, state)
    status, _ = reoptimise(program, state, -np.inf, np.int64(MOST_PIVOTS))
    if status != OPTIMAL:
        return False
    for a in range(actions):
        value, error = 0.0, 0.0
        if abs(lead[a]) > tolerances.feasibility:
            value, error = lead[a], noise
        for j in range(actions):
            r = state.nonbasic[j] - actions
            weight = -state.rows[actions, j]
            if r < 0 or r >= num_rows or weight <= 0.0:
                continue
            entry = reference[a] - matrix[a, r]
            if abs(entry) > tolerances.feasibility:
                value += weight * entry
                error += weight * noise
            if lower[r] != 0.0:
                value -= weight * lower[r]
                error += weight * noise
        if value > error:
            return False
    return True
