"""The best commitment when the leader may pick the reply: one program per reply that could still win."""

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.mixed.simplex.bounds import certified_bound, proves_infeasible, relaxed_value
from stackel_bench.planning.mixed.simplex.pivots import CUTOFF, INFEASIBLE, MOST_PIVOTS, OPTIMAL, reoptimise
from stackel_bench.planning.mixed.simplex.program import (
    UNDECIDED,
    empty_state,
    program_of,
    start,
    write_strategy,
)
from stackel_bench.tolerances import PivotTolerances


@kernel(error_model="numpy")
def best_response_regions(
    follower: np.ndarray,
    leader: np.ndarray,
    slack: float,
    tolerances: PivotTolerances,
    peaks: np.ndarray,
    order: np.ndarray,
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
            if follower[a, b] - rival >= -slack - tolerances.feasibility and leader[a, b] > best:
                best, response, pure = leader[a, b], b, a
    bound = best
    strategy = np.zeros(actions)
    strategy[pure] = 1.0
    state = empty_state(actions, responses, responses, -slack, tolerances.feasibility)
    for b in order:
        if peaks[b] <= best:
            break
        program = program_of(follower, b, leader, tolerances)
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
        state.true_lower[b] = -slack - tolerances.feasibility
    return response, bound, strategy
