"""The branch and bound for a worst-case commitment: depth first below every reference reply, in pieces."""

import math
import time
from functools import cache
from typing import NamedTuple

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.models import PayoffTable
from stackel_bench.planning.mixed.simplex.branching import (
    CANDIDATES,
    bound_node,
    branch,
    decide_root,
    most_violated,
    refine,
)
from stackel_bench.planning.mixed.simplex.program import (
    Program,
    State,
    level_of,
    program_of,
    start,
    unit_payoffs,
    write_strategy,
)
from stackel_bench.planning.mixed.simplex.roots import (
    SearchSettings,
    improved,
    root_bounds,
)
from stackel_bench.tolerances import FINEST_SHIFT, SHIFT_PER_ACCURACY

FIRST_LOOK_NODES = 60  # per reference, before any reference is searched to the end: finds good incumbents
FIRST_LOOK_GROUP = 8  # references between two looks at the clock
CLOCK_SECONDS = 0.02  # aim of one uninterrupted piece of work


class Search(NamedTuple):
    """What a search works on: payoffs [A,B] in units, and everything that it writes to.

    strategy [A] is the best one found, roots [B] the first bound of each reference, bounds [B] what is
    certified by now, done [B] which references are settled. The stack holds the open nodes of one reference,
    inherited a bound for each of them.
    """

    follower: np.ndarray
    leader: np.ndarray
    settings: SearchSettings
    strategy: np.ndarray
    roots: np.ndarray
    bounds: np.ndarray
    done: np.ndarray
    stack: State
    inherited: np.ndarray


@kernel(error_model="numpy")
def _search_reference(
    search: Search, program: Program, c: int, best: float, size: int, budget: int
) -> tuple[float, int, int, float]:
    """Depth-first search below the states on the stack, at most budget nodes.

    Returns (best value, stack size left, nodes used, bound of everything closed in this call).
    """
    settings, stack, inherited = search.settings, search.stack, search.inherited
    actions, responses = program.matrix.shape
    payoffs = np.empty((2, responses))
    vertex = np.empty(actions)
    chosen = np.empty(CANDIDATES, np.int64)
    violation = np.empty(CANDIDATES)
    closed_bound = -np.inf
    nodes = 0
    while size > 0 and nodes < budget:
        nodes += 1
        size -= 1
        state = level_of(stack, size)
        bound, closed = bound_node(program, state, settings, inherited[size], best + settings.accuracy)
        if not closed:
            write_strategy(state, vertex)
            best = improved(
                program.matrix, program.objectives, settings, vertex, payoffs, best, search.strategy
            )
            found = most_violated(state, c, settings, payoffs, chosen, violation)
            closed = bound <= best + settings.accuracy
            if not closed and found == 0:
                # Nothing left to decide, so the shift is what keeps value and bound apart.
                inherited[size] = bound
                closed = not refine(state, settings)
                size += 0 if closed else 1
            elif not closed:
                branch(program, settings, stack, size, chosen, found, best + settings.accuracy)
                inherited[size], inherited[size + 1] = bound, bound
                size += 2
        if closed:
            closed_bound = max(closed_bound, bound)
    return best, size, nodes, closed_bound


@kernel(error_model="numpy")
def search_references(
    search: Search, best: float, order: np.ndarray, position: int, size: int, budget: int, abandon: bool
) -> tuple[float, int, int, int]:
    """Search the references in order from a position; returns (best value, position, stack size, nodes).

    With abandon each reference gets the budget of nodes and is left open if that does not suffice; otherwise
    the call returns once the budget is used, ready to be resumed.
    """
    roots, bounds, done, settings = search.roots, search.bounds, search.done, search.settings
    used = 0
    while position < order.shape[0]:
        c = order[position]
        if done[c] or (size == 0 and roots[c] <= best + settings.accuracy):
            done[c] = True
            position += 1
            continue
        program = program_of(search.follower, search.follower[:, c].copy(), search.leader)
        if size == 0:
            state = level_of(search.stack, size)
            decide_root(program, c, settings, state)
            start(program, c, state)
            search.inherited[0] = roots[c]
            size = 1
            bounds[c] = -np.inf
        best, size, nodes, closed_bound = _search_reference(
            search, program, c, best, size, budget if abandon else budget - used
        )
        used += nodes
        bounds[c] = max(bounds[c], closed_bound)
        if size == 0:
            done[c] = True
        elif abandon:
            bounds[c] = roots[c]
            size = 0
        else:
            break
        position += 1
    return best, position, size, used


def search_commitment(
    table: PayoffTable,
    slack: float,
    accuracy: float,
    deadline: float = math.inf,
    only: int = -1,
    floor: float = -math.inf,
) -> tuple[np.ndarray, float, int]:
    """(strategy [A], certified upper bound of sup phi_slack, nodes it took).

    sup phi_slack = max_c sup {t : pi in R_c and for every b, pi.v_b >= t or pi.(w_c - w_b) > slack}. Every
    node includes some b (first case) and excludes some (second case). The second case is open, so nodes ask
    for slightly more than slack while their bounds do not. `only` one c may count, and values up to `floor`
    may not: the strategy is zero where nothing is above it, and the bound is at least the floor.
    """
    units = unit_payoffs(table)
    follower, leader, unit = units.follower, units.leader, units.leader_unit
    accuracy /= unit
    # Aiming a little lower than asked leaves room for rounding when the value is evaluated again.
    shift = max(FINEST_SHIFT, SHIFT_PER_ACCURACY * accuracy)
    settings = SearchSettings(slack / units.follower_unit, shift, 0.999 * accuracy, only, floor / unit)
    strategy = np.zeros(follower.shape[0])
    best, roots = root_bounds(follower, leader, settings, strategy)
    order = np.argsort(-roots, kind="stable")
    order = order[roots[order] > best + settings.accuracy]
    bounds, done = roots.copy(), np.zeros(roots.size, np.bool_)
    stack, inherited = _empty_stack(*follower.shape)
    search = Search(follower, leader, settings, strategy, roots, bounds, done, stack, inherited)
    nodes = 0
    for begin in range(0, order.size, FIRST_LOOK_GROUP):
        group = order[begin : begin + FIRST_LOOK_GROUP]
        best, _, _, used = search_references(search, best, group, 0, 0, FIRST_LOOK_NODES, True)
        nodes += used
        if time.monotonic() > deadline:
            break
    position, size, piece = 0, 0, 200
    while position < order.size and (began := time.monotonic()) < deadline:
        best, position, size, used = search_references(search, best, order, position, size, piece, False)
        nodes += used
        elapsed = time.monotonic() - began
        piece = max(10, int(piece * CLOCK_SECONDS / max(elapsed, CLOCK_SECONDS / 2)))
    if size > 0:
        open_reference = order[position]
        bounds[open_reference] = max(bounds[open_reference], inherited[:size].max())
    return strategy, float(max(best, bounds.max())) * unit, nodes


@cache
def compile_search() -> None:
    """Compile or load the kernels, so that a deadline set afterwards is spent on searching."""
    table = PayoffTable(np.array([[0.5, 1.0], [0.25, 0.75]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    _, _, nodes = search_commitment(table, 0.1, 1e-3)
    assert nodes > 0, "the search was not entered"


def _empty_stack(num_actions: int, num_responses: int) -> tuple[State, np.ndarray]:
    """Room for the states of one depth-first path, the branches compared at its end, and their bounds."""
    depth = num_responses + 2 + 2 * CANDIDATES
    stack = State(
        rows=np.empty((depth, num_actions + 1, num_actions)),
        offset=np.empty((depth, num_actions + 1)),
        nonbasic=np.empty((depth, num_actions), np.int64),
        column_of=np.empty((depth, num_actions), np.int64),
        mode=np.empty((depth, num_responses), np.int8),
        lower=np.empty((depth, num_responses)),
        true_lower=np.empty((depth, num_responses)),
    )
    return stack, np.empty(depth)
