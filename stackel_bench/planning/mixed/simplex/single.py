"""Single programs: the largest minimum of several payoffs, whether a payoff can be positive, the best reply.

The last is for a leader who may pick the reply: one program per reply that could still win.
"""

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.mixed.simplex.pivots import (
    CUTOFF,
    INFEASIBLE,
    MOST_PIVOTS,
    OPTIMAL,
    STOPPED,
    certified_bound,
    proves_infeasible,
    relaxed_value,
    reoptimise,
)
from stackel_bench.planning.mixed.simplex.program import (
    INCLUDED,
    UNDECIDED,
    Program,
    State,
    empty_state,
    program_of,
    start,
    write_strategy,
)
from stackel_bench.tolerances import PIVOTS


@kernel(error_model="numpy")
def maximin(
    matrix: np.ndarray, reference: np.ndarray, lower: np.ndarray, objectives: np.ndarray, stop: float
) -> tuple[int, float, np.ndarray]:
    """(status, bound, strategy [A]) of the program with every objective active; CUTOFF if at most stop.

    bound holds for all strategies that violate the rows by at most the feasibility tolerance; it is -inf if
    there are none. STOPPED if that can neither be proved nor a strategy be found.
    """
    program, state = _all_active(matrix, reference, lower, objectives)
    status, leaving = reoptimise(program, state, stop, np.int64(MOST_PIVOTS))
    strategy = np.empty(len(matrix))
    write_strategy(state, strategy)
    if status == INFEASIBLE:
        if proves_infeasible(program, state, leaving, 0.0):
            return status, -np.inf, strategy
        status = STOPPED
    return status, certified_bound(program, state), strategy


@kernel(error_model="numpy")
def vanishes(
    matrix: np.ndarray, reference: np.ndarray, lower: np.ndarray, lead: np.ndarray, noise: float
) -> bool:
    """Whether pi.lead [A] is proved to be <= 0 for every strategy that meets the rows.

    By duality, lead plus a combination of rows that are >= 0 is <= 0 at every action. Entries within the
    feasibility tolerance are taken to be 0, others to be off by the noise at most.
    """
    actions, num_rows = matrix.shape
    program, state = _all_active(matrix, reference, lower, lead.copy().reshape(actions, 1))
    status, _ = reoptimise(program, state, -np.inf, np.int64(MOST_PIVOTS))
    if status != OPTIMAL:
        return False
    for a in range(actions):
        value, error = 0.0, 0.0
        if abs(lead[a]) > PIVOTS.feasibility:
            value, error = lead[a], noise
        for j in range(actions):
            r = state.nonbasic[j] - actions
            weight = -state.rows[actions, j]
            if r < 0 or r >= num_rows or weight <= 0.0:
                continue
            entry = reference[a] - matrix[a, r]
            if abs(entry) > PIVOTS.feasibility:
                value += weight * entry
                error += weight * noise
            if lower[r] != 0.0:
                value -= weight * lower[r]
                error += weight * noise
        if value > error:
            return False
    return True


@kernel(error_model="numpy")
def _all_active(
    matrix: np.ndarray, reference: np.ndarray, lower: np.ndarray, objectives: np.ndarray
) -> tuple[Program, State]:
    """The program and its first state, with every objective active."""
    program = program_of(matrix, reference, objectives)
    state = empty_state(len(matrix), objectives.shape[1], lower, PIVOTS.feasibility)
    for k in range(objectives.shape[1]):
        state.mode[k] = INCLUDED
    start(program, objectives.shape[1] - 1, state)
    return program, state


@kernel(error_model="numpy")
def best_response_regions(
    follower: np.ndarray, leader: np.ndarray, slack: float, peaks: np.ndarray, order: np.ndarray
) -> tuple[int, float, np.ndarray]:
    """(response or -1, bound, strategy [A]): best leader payoff over all b and all pi that make b a response.

    b is a response to pi if pi.(w_b - w_k) >= -slack, up to a tie, for every k != b; a negative slack is a
    margin. peaks [B] is the leader's largest payoff per response, order [B] sorts it from the largest down.
    """
    actions, responses = follower.shape
    best, response, pure = -np.inf, -1, 0
    for a in range(actions):
        # Pure strategies first: their best value cuts most programs short.
        top, second, top_at = -np.inf, -np.inf, -1
        for b in range(responses):
            if follower[a, b] > top:
                top, second, top_at = follower[a, b], top, b
            elif follower[a, b] > second:
                second = follower[a, b]
        for b in range(responses):
            rival = second if b == top_at else top
            if follower[a, b] - rival >= -slack - PIVOTS.feasibility and leader[a, b] > best:
                best, response, pure = leader[a, b], b, a
    bound = best
    strategy = np.zeros(actions)
    strategy[pure] = 1.0
    state = empty_state(actions, responses, np.full(responses, -slack), PIVOTS.feasibility)
    for b in order:
        if peaks[b] <= best:
            break
        program = program_of(follower, follower[:, b].copy(), leader)
        state.lower[b], state.true_lower[b] = -1.0, -1.0  # b need not beat itself
        start(program, b, state)
        status, leaving = reoptimise(program, state, best, np.int64(MOST_PIVOTS))
        if status == OPTIMAL:
            best, response = float(state.offset[actions]), b
            write_strategy(state, strategy)
        if status == CUTOFF and relaxed_value(program, state) <= bound:
            pass  # the certified bound would not be larger
        elif status != INFEASIBLE or not proves_infeasible(program, state, leaving, 0.0):
            bound = max(bound, certified_bound(program, state))
        state.mode[b], state.lower[b] = UNDECIDED, -slack
        state.true_lower[b] = -slack - PIVOTS.feasibility
    return response, bound, strategy
