"""The worst-case search: depth first below every reference reply, in pieces that can be resumed."""

from typing import NamedTuple

import numpy as np

from stackel_bench.kernel import kernel
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
    write_strategy,
)
from stackel_bench.planning.mixed.simplex.roots import SearchSettings, overwrite, pessimistic_value


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
            reach = settings.slack + settings.tolerances.feasibility
            value = pessimistic_value(
                program.matrix, program.objectives, vertex, reach, payoffs, settings.only
            )
            if value > best:
                best = value
                overwrite(search.strategy, vertex)
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
        program = program_of(search.follower, c, search.leader, settings.tolerances)
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
