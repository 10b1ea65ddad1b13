"""First bounds of the worst-case search: one program per reference reply, and the incumbents they give."""

from typing import NamedTuple

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.mixed.simplex.pivots import (
    INFEASIBLE,
    MOST_PIVOTS,
    certified_bound,
    proves_infeasible,
    reoptimise,
)
from stackel_bench.planning.mixed.simplex.program import (
    UNDECIDED,
    empty_state,
    program_of,
    start,
    write_strategy,
)
from stackel_bench.tolerances import PIVOTS, TIE


class SearchSettings(NamedTuple):
    """What a search asks: replies within slack count, the bound is met within accuracy.

    Excluded replies are kept shift beyond slack, or FINEST_SHIFT where shift would cost too much. Of one
    reference alone (only >= 0) strategies count for which it is a best reply; values up to floor do not.
    """

    slack: float
    shift: float
    accuracy: float
    only: int
    floor: float


@kernel(error_model="numpy")
def root_bounds(
    follower: np.ndarray, leader: np.ndarray, settings: SearchSettings, strategy: np.ndarray
) -> tuple[float, np.ndarray]:
    """(best value found, bound [B] per reference response); the incumbent's strategy [A] is written in place.

    bound[c] is at least every value that strategies with best reply c reach; -inf if c is never a best reply,
    or if c's column repeats an earlier one.
    """
    actions, responses = follower.shape
    payoffs = np.empty((2, responses))
    bounds = np.empty(responses)
    best = settings.floor
    vertex = np.zeros(actions)
    for a in range(actions):
        vertex[a] = 1.0
        best = improved(follower, leader, settings, vertex, payoffs, best, strategy)
        vertex[a] = 0.0
    state = empty_state(actions, responses, np.zeros(responses), 0.0)
    for c in range(responses):
        bounds[c] = -np.inf
        if c != settings.only if settings.only >= 0 else _repeats_earlier(follower, c):
            continue
        program = program_of(follower, follower[:, c].copy(), leader)
        start(program, c, state)
        status, leaving = reoptimise(program, state, best + settings.accuracy, np.int64(MOST_PIVOTS))
        state.mode[c] = UNDECIDED
        if status == INFEASIBLE and proves_infeasible(program, state, leaving, PIVOTS.feasibility):
            continue
        bounds[c] = certified_bound(program, state)
        write_strategy(state, vertex)
        best = improved(follower, leader, settings, vertex, payoffs, best, strategy)
    return best, bounds


@kernel(error_model="numpy")
def _repeats_earlier(follower: np.ndarray, c: int) -> bool:
    for b in range(c):
        a = 0
        while a < follower.shape[0] and abs(follower[a, b] - follower[a, c]) <= TIE:
            a += 1
        if a == follower.shape[0]:
            return True
    return False


@kernel(error_model="numpy")
def improved(
    follower: np.ndarray,
    leader: np.ndarray,
    settings: SearchSettings,
    candidate: np.ndarray,
    payoffs: np.ndarray,
    best: float,
    strategy: np.ndarray,
) -> float:
    """The worst leader payoff of the candidate [A] among replies within slack if it is above best, else best.

    A better candidate is written to strategy [A], both players' payoffs to payoffs [2,B]. Where the one
    reference that counts is not a best reply, the candidate does not count.
    """
    actions, responses = follower.shape
    for b in range(responses):
        payoffs[0, b], payoffs[1, b] = 0.0, 0.0
    for a in range(actions):
        weight = candidate[a]
        if weight != 0.0:
            for b in range(responses):
                payoffs[0, b] += weight * leader[a, b]
                payoffs[1, b] += weight * follower[a, b]
    top, worst = -np.inf, np.inf
    for b in range(responses):
        top = max(top, payoffs[1, b])
    if settings.only >= 0 and payoffs[1, settings.only] < top - TIE:
        return best
    for b in range(responses):
        if top - payoffs[1, b] <= settings.slack + PIVOTS.feasibility:
            worst = min(worst, payoffs[0, b])
    if worst <= best:
        return best
    for a in range(actions):
        strategy[a] = candidate[a]
    return worst
