"""One node of the worst-case search: its bound, what is left to decide in it, and its two children.

A reply b that the follower may give must pay the leader at least t, or be worse for the follower than the
reference by more than slack. A node has decided some of these disjunctions: INCLUDED replies pay at least t,
EXCLUDED ones keep a margin beyond slack.
"""

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.planning.mixed.simplex.pivots import (
    CUTOFF,
    INFEASIBLE,
    MOST_PIVOTS,
    certified_bound,
    proves_infeasible,
    reoptimise,
)
from stackel_bench.planning.mixed.simplex.program import (
    EXCLUDED,
    IDLE,
    INCLUDED,
    UNDECIDED,
    Program,
    State,
    copy_state,
    level_of,
)
from stackel_bench.planning.mixed.simplex.roots import SearchSettings
from stackel_bench.tolerances import FINEST_SHIFT, PIVOTS

CANDIDATES = 4  # disjunctions compared before branching
TRIAL_PIVOTS = 8  # pivots spent on each side of a comparison


@kernel(error_model="numpy")
def decide_root(program: Program, c: int, settings: SearchSettings, state: State) -> None:
    """Decide what can be decided for every strategy at once: replies that always or never matter."""
    actions, responses = program.matrix.shape
    reach = settings.slack + PIVOTS.feasibility
    for b in range(responses):
        state.lower[b], state.true_lower[b] = 0.0, 0.0
        smallest, largest, shortfall = np.inf, -np.inf, np.inf
        for a in range(actions):
            gap = program.reference[a] - program.matrix[a, b]
            smallest, largest = min(smallest, gap), max(largest, gap)
            shortfall = min(shortfall, program.objectives[a, b] - program.objectives[a, c])
        if largest <= reach:
            state.mode[b] = INCLUDED
        elif shortfall >= 0.0 or smallest > reach:
            state.mode[b] = IDLE
        else:
            state.mode[b] = UNDECIDED


@kernel(error_model="numpy")
def exclude(state: State, b: int, settings: SearchSettings, shift: float) -> None:
    """Demand that reply b be worse than the reference by slack + shift; the state stays dual feasible."""
    actions = state.nonbasic.shape[0]
    margin = settings.slack + shift
    raised = margin - state.lower[b]
    for j in range(actions):
        if state.nonbasic[j] == actions + b:
            for a in range(actions + 1):
                if a == actions or state.column_of[a] < 0:
                    state.offset[a] += raised * state.rows[a, j]
    state.mode[b], state.lower[b], state.true_lower[b] = EXCLUDED, margin, settings.slack


@kernel(error_model="numpy")
def refine(state: State, settings: SearchSettings) -> bool:
    """Reduce the margin of excluded replies to the finest one; whether that changed anything."""
    changed = False
    for b in range(state.lower.shape[0]):
        if state.mode[b] == EXCLUDED and state.lower[b] > settings.slack + FINEST_SHIFT:
            exclude(state, b, settings, FINEST_SHIFT)
            changed = True
    return changed


@kernel(error_model="numpy")
def bound_node(
    program: Program, state: State, settings: SearchSettings, inherited: float, goal: float
) -> tuple[float, bool]:
    """(certified bound, whether the node is closed): closed if infeasible or bounded by the goal."""
    stop = goal
    while True:
        status, leaving = reoptimise(program, state, stop, np.int64(MOST_PIVOTS))
        if status == INFEASIBLE:
            if proves_infeasible(program, state, leaving, PIVOTS.feasibility):
                return -np.inf, True
            if not refine(state, settings):
                return inherited, True
            continue
        bound = min(inherited, certified_bound(program, state))
        if bound <= goal or status != CUTOFF:
            return bound, bound <= goal
        stop = -np.inf  # the pivots ask for slack + shift, the bound only for slack: it can lag behind


@kernel(error_model="numpy")
def most_violated(
    state: State,
    c: int,
    settings: SearchSettings,
    payoffs: np.ndarray,
    chosen: np.ndarray,
    violation: np.ndarray,
) -> int:
    """How many disjunctions "paid at least t, or worse by the margin" fail; the worst ones go to chosen."""
    found = 0
    negligible = min(PIVOTS.negligible, 0.125 * settings.accuracy)
    total = state.offset[state.nonbasic.shape[0]]
    for b in range(payoffs.shape[1]):
        short = total - payoffs[0, b]
        near = settings.slack + FINEST_SHIFT - (payoffs[1, c] - payoffs[1, b])
        if state.mode[b] != UNDECIDED or short <= negligible or near <= 0.5 * FINEST_SHIFT:
            continue
        place = min(found, CANDIDATES - 1)
        if found == CANDIDATES and short <= violation[place]:
            continue
        while place > 0 and violation[place - 1] < short:
            violation[place], chosen[place] = violation[place - 1], chosen[place - 1]
            place -= 1
        violation[place], chosen[place] = short, b
        found = min(found + 1, CANDIDATES)
    return found


@kernel(error_model="numpy")
def branch(
    program: Program,
    settings: SearchSettings,
    stack: State,
    level: int,
    chosen: np.ndarray,
    found: int,
    goal: float,
) -> None:
    """Put the two sides of the best disjunction on levels level and level + 1, the promising one on top.

    Each candidate's sides are tried with a few pivots; the largest product of falls of the bound wins.
    """
    actions = program.matrix.shape[0]
    state = level_of(stack, level)
    total = state.offset[actions]
    pick, score = 0, -1.0
    for i in range(found):
        product = 1.0
        for side in range(2):
            trial = level_of(stack, level + 1 + 2 * i + side)
            copy_state(state, trial)
            if side == 0:
                trial.mode[chosen[i]] = INCLUDED
            else:
                exclude(trial, chosen[i], settings, settings.shift)
            status, _ = reoptimise(program, trial, goal, np.int64(TRIAL_PIVOTS))
            fall = 10.0 if status == INFEASIBLE else total - trial.offset[actions]
            product *= max(fall, PIVOTS.least_fall)
        if product > score:
            pick, score = i, product
    first, second = level + 1 + 2 * pick, level + 2 + 2 * pick
    if stack.offset[first, actions] < stack.offset[second, actions]:
        first, second = second, first
    copy_state(level_of(stack, second), state)
    if first != level + 1:
        copy_state(level_of(stack, first), level_of(stack, level + 1))
