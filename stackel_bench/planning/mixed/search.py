"""The branch and bound for a worst-case commitment: a strategy, a certified bound, and the nodes it took."""

import math
import time
from functools import cache

import numpy as np

from stackel_bench.planning.mixed.simplex.branch_and_bound import Search, search_references
from stackel_bench.planning.mixed.simplex.branching import CANDIDATES
from stackel_bench.planning.mixed.simplex.program import State
from stackel_bench.planning.mixed.simplex.roots import SearchSettings, root_bounds
from stackel_bench.tolerances import FINEST_SHIFT, PIVOTS, SHIFT_PER_ACCURACY

FIRST_LOOK_NODES = 60  # per reference, before any reference is searched to the end: finds good incumbents
FIRST_LOOK_GROUP = 8  # references between two looks at the clock
CLOCK_SECONDS = 0.02  # aim of one uninterrupted piece of work


def search_commitment(
    follower: np.ndarray,
    leader: np.ndarray,
    slack: float,
    accuracy: float,
    deadline: float,
    only: int = -1,
    floor: float = -math.inf,
) -> tuple[np.ndarray, float, int]:
    """(strategy [A], certified upper bound of sup phi_slack, nodes) for payoffs [A,B] in units.

    sup phi_slack = max_c sup {t : pi in R_c and for every b, pi.v_b >= t or pi.(w_c - w_b) > slack}. Every
    node includes some b (first case) and excludes some (second case). The second case is open, so nodes ask
    for slightly more than slack while their bounds do not. `only` one c may count, and values up to `floor`
    may not: the strategy is zero where nothing is above it, and the bound is at least the floor.
    """
    # Aiming a little lower than asked leaves room for rounding when the value is evaluated again.
    shift = max(FINEST_SHIFT, SHIFT_PER_ACCURACY * accuracy)
    settings = SearchSettings(slack, shift, FINEST_SHIFT, 0.999 * accuracy, PIVOTS, only, floor)
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
    return strategy, float(max(best, bounds.max())), nodes


@cache
def compile_search() -> None:
    """Compile or load the kernels, so that a deadline set afterwards is spent on searching."""
    leader, follower = np.array([[0.5, 1.0], [0.25, 0.75]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    _, _, nodes = search_commitment(follower, leader, 0.1, 1e-3, math.inf)
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
