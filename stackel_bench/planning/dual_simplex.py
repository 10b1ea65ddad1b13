"""Compiled linear programs over the simplex: one dual simplex, and the searches that restart it.

Every program here is

    max t   s.t.   pi in the simplex,   pi.(reference - matrix[:,r]) >= lower[r]  for every row r,
                   pi.objectives[:,k] >= t  for every active k.

A state is an affine map from A non-basic variables (each at 0) to the point: pi_a = offset[a] + rows[a].x and
t = offset[A] + rows[A].x. Only basic pi_a have a stored row, so a pivot costs (support + 1) x A, and a state
is small enough to be copied for every branch. Variables are numbered pi_a: a, row r: A + r, objective k:
A + R + k. Starting at the best action for the first objective makes the dual feasible, so there is no first
phase; raising a lower bound or activating an objective keeps it so. Kernels that call each other share this
file because the compiler's cache does not follow edits in imported kernels.
"""

from __future__ import annotations

import numpy as np
from numba import njit

OPTIMAL, CUTOFF, INFEASIBLE, STOPPED = 0, 1, 2, 3
UNDECIDED, INCLUDED, EXCLUDED, IDLE = 0, 1, 2, 3
SMALLEST_PIVOT = 1e-11
NEGLIGIBLE = 1e-9  # violations of a disjunction below this are not branched on
CANDIDATES = 4  # disjunctions compared before branching
TRIAL_PIVOTS = 8


@njit(cache=True)
def start(objectives, first, num_rows, rows, offset, nonbasic, column_of):
    """Write the dual feasible state at the best action for one objective."""
    actions = objectives.shape[0]
    best = np.argmax(objectives[:, first])
    column = 0
    for a in range(actions):
        offset[a] = 0.0
        if a == best:
            column_of[a] = -1
            continue
        nonbasic[column] = a
        column_of[a] = column
        rows[best, column] = -1.0
        rows[actions, column] = objectives[a, first] - objectives[best, first]
        column += 1
    nonbasic[actions - 1] = actions + num_rows + first
    rows[best, actions - 1] = 0.0
    rows[actions, actions - 1] = -1.0
    offset[best] = 1.0
    offset[actions] = objectives[best, first]


@njit(cache=True)
def reoptimise(
    matrix, reference, lower, objectives, active, rows, offset, nonbasic, column_of, payoffs, entries,
    tolerance, stop, limit,
):  # fmt: skip
    """Pivot until no constraint is violated, the bound falls to stop, a row cannot be repaired, or the limit.

    Returns (status, leaving variable); after INFEASIBLE entries [A] holds the row that cannot be repaired.
    payoffs [R] and entries [A] are work space.
    """
    actions, num_rows = matrix.shape
    leaving = -1
    for iteration in range(limit):
        if offset[actions] <= stop:
            return CUTOFF, leaving
        # Largest violation first; after many pivots the first one (Bland), which cannot cycle.
        bland = iteration > 200 + 20 * actions
        worst, leaving = -tolerance, -1
        base = 0.0
        payoffs[:] = 0.0
        for a in range(actions):
            if column_of[a] < 0:
                weight = offset[a]
                if weight < worst and not (bland and leaving >= 0):
                    worst, leaving = weight, a
                if weight != 0.0:
                    base += weight * reference[a]
                    for r in range(num_rows):
                        payoffs[r] += weight * matrix[a, r]
        for r in range(num_rows):
            value = base - payoffs[r] - lower[r]
            if value < worst and not (bland and leaving >= 0):
                worst, leaving = value, actions + r
        for k in range(active.shape[0]):
            if active[k] == INCLUDED:
                value = -offset[actions]
                for a in range(actions):
                    if column_of[a] < 0:
                        value += offset[a] * objectives[a, k]
                if value < worst and not (bland and leaving >= 0):
                    worst, leaving = value, actions + num_rows + k
        if leaving < 0:
            return OPTIMAL, leaving
        _row_of(leaving, matrix, reference, objectives, rows, nonbasic, column_of, entries)
        entering, smallest = -1, np.inf
        for j in range(actions):
            if entries[j] > SMALLEST_PIVOT:
                ratio = max(0.0, -rows[actions, j]) / entries[j]
                closer = ratio < smallest - 1e-14
                tied = ratio <= smallest + 1e-14 and not closer
                if closer or (tied and not bland and entries[j] > entries[entering]):
                    entering, smallest = j, min(ratio, smallest)
                elif tied and bland and nonbasic[j] < nonbasic[entering]:
                    entering, smallest = j, min(ratio, smallest)
        if entering < 0:
            return INFEASIBLE, leaving
        _pivot(leaving, entering, worst, rows, offset, nonbasic, column_of, entries)
    return STOPPED, leaving


@njit(cache=True)
def _row_of(variable, matrix, reference, objectives, rows, nonbasic, column_of, entries):
    """Write the basic variable's coefficients on the non-basic ones into entries."""
    actions, num_rows = matrix.shape
    if variable < actions:
        entries[:] = rows[variable]
        return
    is_row = variable < actions + num_rows
    r = variable - actions
    k = r - num_rows
    for j in range(actions):
        entries[j] = 0.0 if is_row else -rows[actions, j]
    for a in range(actions):
        factor = reference[a] - matrix[a, r] if is_row else objectives[a, k]
        if column_of[a] < 0:
            for j in range(actions):
                entries[j] += factor * rows[a, j]
        else:
            entries[column_of[a]] += factor


@njit(cache=True)
def _pivot(leaving, entering, value, rows, offset, nonbasic, column_of, entries):
    actions = rows.shape[1]
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
    entered = nonbasic[entering]
    if entered < actions:
        column_of[entered] = -1
        offset[entered] = -value * inverse
        for j in range(actions):
            rows[entered, j] = -entries[j] * inverse
        rows[entered, entering] = inverse
    if leaving < actions:
        column_of[leaving] = entering
        offset[leaving] = 0.0
    nonbasic[entering] = leaving


@njit(cache=True)
def certified_bound(matrix, reference, true_lower, objectives, rows, nonbasic):
    """An upper bound of the program by weak duality: right whatever the pivots did, up to rounding."""
    actions, num_rows = matrix.shape
    total = 0.0
    for j in range(actions):
        if nonbasic[j] >= actions + num_rows:
            total += max(0.0, -rows[actions, j])
    if total <= 0.0:
        return np.inf
    largest = -np.inf
    for a in range(actions):
        value = 0.0
        for j in range(actions):
            variable = nonbasic[j]
            weight = -rows[actions, j]
            if variable < actions or weight <= 0.0:
                continue
            if variable < actions + num_rows:
                r = variable - actions
                value += weight * (reference[a] - matrix[a, r] - true_lower[r])
            else:
                value += weight / total * objectives[a, variable - actions - num_rows]
        largest = max(largest, value)
    return largest


@njit(cache=True)
def _proves_infeasible(matrix, reference, true_lower, nonbasic, entries, leaving, tolerance):
    """Whether no strategy meets every row by more than the tolerance (Farkas, from the data alone)."""
    actions, num_rows = matrix.shape
    total = 0.0
    largest = -np.inf
    for a in range(actions):
        value, total = 0.0, 0.0
        for j in range(-1, actions):
            variable = leaving if j < 0 else nonbasic[j]
            weight = 1.0 if j < 0 else -entries[j]
            if actions <= variable < actions + num_rows and weight > 0.0:
                r = variable - actions
                value += weight * (reference[a] - matrix[a, r] - true_lower[r])
                total += weight
        largest = max(largest, value)
    return largest <= tolerance * total


@njit(cache=True)
def maximin(matrix, reference, lower, objectives, tolerance, stop):
    """(status, bound, strategy [A]) of the program with every objective active; CUTOFF once bound <= stop."""
    actions, num_rows = matrix.shape
    num_objectives = objectives.shape[1]
    rows = np.empty((actions + 1, actions))
    offset = np.empty(actions + 1)
    nonbasic = np.empty(actions, np.int64)
    column_of = np.empty(actions, np.int64)
    payoffs = np.empty(num_rows)
    entries = np.empty(actions)
    active = np.full(num_objectives, INCLUDED, np.int8)
    start(objectives, 0, num_rows, rows, offset, nonbasic, column_of)
    status, _ = reoptimise(
        matrix, reference, lower, objectives, active, rows, offset, nonbasic, column_of, payoffs, entries,
        tolerance, stop, 100_000,
    )  # fmt: skip
    bound = certified_bound(matrix, reference, lower, objectives, rows, nonbasic)
    return status, bound, _distribution(offset, column_of)


@njit(cache=True)
def _distribution(offset, column_of):
    strategy = np.zeros(column_of.shape[0])
    for a in range(column_of.shape[0]):
        if column_of[a] < 0:
            strategy[a] = max(0.0, offset[a])
    return strategy / strategy.sum()


@njit(cache=True)
def best_response_regions(follower, leader, slack, tolerance):
    """(response or -1, bound, strategy [A]): best leader payoff over all b and all pi that make b a response.

    b is a response to pi if pi.(w_b - w_k) >= -slack for every k != b; a negative slack is a margin.
    """
    actions, responses = follower.shape
    peaks = np.empty(responses)
    for b in range(responses):
        peaks[b] = leader[:, b].max()
    best, response, bound = -np.inf, -1, -np.inf
    strategy = np.zeros(actions)
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
            if follower[a, b] - rival >= -slack and leader[a, b] > best:
                best, response, bound = leader[a, b], b, leader[a, b]
                strategy[:] = 0.0
                strategy[a] = 1.0
    rows = np.empty((actions + 1, actions))
    offset = np.empty(actions + 1)
    nonbasic = np.empty(actions, np.int64)
    column_of = np.empty(actions, np.int64)
    payoffs = np.empty(responses)
    entries = np.empty(actions)
    active = np.zeros(responses, np.int8)
    lower = np.full(responses, -slack)
    for b in np.argsort(-peaks):
        if peaks[b] <= best:
            break
        reference = follower[:, b].copy()
        active[b], lower[b] = INCLUDED, -1.0
        start(leader, b, responses, rows, offset, nonbasic, column_of)
        status, _ = reoptimise(
            follower, reference, lower, leader, active, rows, offset, nonbasic, column_of, payoffs, entries,
            tolerance, best, 100_000,
        )  # fmt: skip
        if status == OPTIMAL and offset[actions] > best:
            best, response = offset[actions], b
            bound = certified_bound(follower, reference, lower, leader, rows, nonbasic)
            strategy = _distribution(offset, column_of)
        active[b], lower[b] = UNDECIDED, -slack
    return response, bound, strategy


@njit(cache=True)
def pessimistic_value(follower, leader, slack, strategy, leader_payoffs, follower_payoffs):
    """The worst leader payoff among replies within slack; fills both players' payoffs [B] of the strategy."""
    leader_payoffs[:] = 0.0
    follower_payoffs[:] = 0.0
    for a in range(strategy.shape[0]):
        weight = strategy[a]
        if weight != 0.0:
            for b in range(leader_payoffs.shape[0]):
                leader_payoffs[b] += weight * leader[a, b]
                follower_payoffs[b] += weight * follower[a, b]
    best = follower_payoffs.max()
    worst = np.inf
    for b in range(leader_payoffs.shape[0]):
        if best - follower_payoffs[b] <= slack and leader_payoffs[b] < worst:
            worst = leader_payoffs[b]
    return worst


@njit(cache=True)
def root_bounds(follower, leader, slack, tolerance, accuracy, strategy):
    """(best value found, bound [B] per reference response): the incumbent's strategy [A] is written in place.

    bound[c] is at least every value that strategies with best reply c reach; -inf if c is never a best reply,
    or if c's column repeats an earlier one.
    """
    actions, responses = follower.shape
    leader_payoffs = np.empty(responses)
    follower_payoffs = np.empty(responses)
    bounds = np.full(responses, -np.inf)
    best = -np.inf
    vertex = np.zeros(actions)
    for a in range(actions):
        vertex[a] = 1.0
        value = pessimistic_value(
            follower, leader, slack + tolerance, vertex, leader_payoffs, follower_payoffs
        )
        vertex[a] = 0.0
        if value > best:
            best = value
            strategy[:] = 0.0
            strategy[a] = 1.0
    rows = np.empty((actions + 1, actions))
    offset = np.empty(actions + 1)
    nonbasic = np.empty(actions, np.int64)
    column_of = np.empty(actions, np.int64)
    entries = np.empty(actions)
    active = np.zeros(responses, np.int8)
    lower = np.zeros(responses)
    for c in range(responses):
        repeated = False
        for b in range(c):
            if np.abs(follower[:, b] - follower[:, c]).max() <= tolerance:
                repeated = True
                break
        if repeated:
            continue
        reference = follower[:, c].copy()
        active[c] = INCLUDED
        start(leader, c, responses, rows, offset, nonbasic, column_of)
        status, leaving = reoptimise(
            follower, reference, lower, leader, active, rows, offset, nonbasic, column_of, follower_payoffs,
            entries, tolerance, best + accuracy, 100_000,
        )  # fmt: skip
        active[c] = UNDECIDED
        if status == INFEASIBLE and _proves_infeasible(
            follower, reference, lower, nonbasic, entries, leaving, tolerance
        ):
            continue
        bounds[c] = certified_bound(follower, reference, lower, leader, rows, nonbasic)
        vertex = _distribution(offset, column_of)
        value = pessimistic_value(
            follower, leader, slack + tolerance, vertex, leader_payoffs, follower_payoffs
        )
        if value > best:
            best = value
            strategy[:] = vertex
    return best, bounds


@njit(cache=True)
def _prepare_root(follower, leader, c, slack, tolerance, mode, lower, true_lower):
    """Decide what can be decided for every strategy at once: replies that always or never matter."""
    actions, responses = follower.shape
    for b in range(responses):
        lower[b], true_lower[b] = 0.0, 0.0
        smallest, largest, shortfall = np.inf, -np.inf, np.inf
        for a in range(actions):
            gap = follower[a, c] - follower[a, b]
            smallest, largest = min(smallest, gap), max(largest, gap)
            shortfall = min(shortfall, leader[a, b] - leader[a, c])
        if b == c or largest <= slack + tolerance:
            mode[b] = INCLUDED
        elif shortfall >= 0.0 or smallest > slack + tolerance:
            mode[b] = IDLE
        else:
            mode[b] = UNDECIDED


@njit(cache=True)
def _copy_state(source, target, rows, offset, nonbasic, column_of, mode, lower, true_lower, parent):
    actions = nonbasic.shape[1]
    for a in range(actions + 1):
        offset[target, a] = offset[source, a]
        if a == actions or column_of[source, a] < 0:
            rows[target, a] = rows[source, a]
    nonbasic[target] = nonbasic[source]
    column_of[target] = column_of[source]
    mode[target] = mode[source]
    lower[target] = lower[source]
    true_lower[target] = true_lower[source]
    parent[target] = parent[source]


@njit(cache=True)
def _exclude(b, margin, slack, rows, offset, nonbasic, column_of, mode, lower, true_lower):
    """Demand that reply b be worse than the reference by the margin; the state stays dual feasible."""
    actions = nonbasic.shape[0]
    raised = margin - lower[b]
    for j in range(actions):
        if nonbasic[j] == actions + b:
            for a in range(actions + 1):
                if a == actions or column_of[a] < 0:
                    offset[a] += raised * rows[a, j]
    mode[b], lower[b], true_lower[b] = EXCLUDED, margin, slack


@njit(cache=True)
def _search_reference(
    follower, leader, c, slack, shift, tolerance, accuracy, best, strategy, size, budget,
    rows, offset, nonbasic, column_of, mode, lower, true_lower, parent,
):  # fmt: skip
    """Depth-first search below the states on the stack, at most budget nodes.

    Returns (best value, stack size left, nodes used, bound of everything closed in this call). Each node
    demands the margin slack + shift of excluded replies, but its bound is taken at the margin slack.
    """
    actions, responses = follower.shape
    reference = follower[:, c].copy()
    leader_payoffs = np.empty(responses)
    follower_payoffs = np.empty(responses)
    entries = np.empty(actions)
    chosen = np.empty(CANDIDATES, np.int64)
    violation = np.empty(CANDIDATES)
    closed = -np.inf
    nodes = 0
    while size > 0 and nodes < budget:
        nodes += 1
        s = size - 1
        goal = best + accuracy
        stop = goal
        settled = False
        bound = parent[s]
        while True:
            status, leaving = reoptimise(
                follower, reference, lower[s], leader, mode[s], rows[s], offset[s], nonbasic[s], column_of[s],
                follower_payoffs, entries, tolerance, stop, 100_000,
            )  # fmt: skip
            if status == INFEASIBLE:
                settled = True
                if not _proves_infeasible(
                    follower, reference, true_lower[s], nonbasic[s], entries, leaving, tolerance
                ):
                    closed = max(closed, bound)
                break
            weak = certified_bound(follower, reference, true_lower[s], leader, rows[s], nonbasic[s])
            bound = min(bound, weak)
            if bound <= goal:
                settled = True
                closed = max(closed, bound)
                break
            if status != CUTOFF:
                break
            stop = -np.inf
        size -= 1
        if settled:
            continue
        vertex = _distribution(offset[s], column_of[s])
        value = pessimistic_value(
            follower, leader, slack + tolerance, vertex, leader_payoffs, follower_payoffs
        )
        if value > best:
            best = value
            strategy[:] = vertex
        # The disjunctions "paid at least t, or worse for the follower by the margin" that fail most.
        found = 0
        total = offset[s, actions]
        payoff = follower_payoffs[c]
        for b in range(responses):
            short = total - leader_payoffs[b]
            near = slack + shift - (payoff - follower_payoffs[b])
            if mode[s, b] != UNDECIDED or short <= NEGLIGIBLE or near <= min(NEGLIGIBLE, 0.5 * shift):
                continue
            place = found if found < CANDIDATES else CANDIDATES - 1
            if found == CANDIDATES and short <= violation[place]:
                continue
            while place > 0 and violation[place - 1] < short:
                violation[place], chosen[place] = violation[place - 1], chosen[place - 1]
                place -= 1
            violation[place], chosen[place] = short, b
            found = min(found + 1, CANDIDATES)
        if found == 0 or bound <= best + accuracy:
            closed = max(closed, bound)
            continue
        parent[s] = bound
        pick, score = 0, -1.0
        for i in range(found):
            product = 1.0
            for side in range(2):
                slot = s + 1 + 2 * i + side
                _copy_state(s, slot, rows, offset, nonbasic, column_of, mode, lower, true_lower, parent)
                if side == 0:
                    mode[slot, chosen[i]] = INCLUDED
                else:
                    _exclude(
                        chosen[i], slack + shift, slack, rows[slot], offset[slot], nonbasic[slot],
                        column_of[slot], mode[slot], lower[slot], true_lower[slot],
                    )  # fmt: skip
                status, leaving = reoptimise(
                    follower, reference, lower[slot], leader, mode[slot], rows[slot], offset[slot],
                    nonbasic[slot], column_of[slot], follower_payoffs, entries, tolerance, goal, TRIAL_PIVOTS,
                )  # fmt: skip
                drop = 10.0 if status == INFEASIBLE else total - offset[slot, actions]
                product *= max(drop, 1e-7)
                if status == INFEASIBLE:
                    offset[slot, actions] = min(offset[slot, actions], goal)
            if product > score:
                pick, score = i, product
        first, second = s + 1 + 2 * pick, s + 2 + 2 * pick
        if offset[first, actions] < offset[second, actions]:
            first, second = second, first
        # The more promising branch goes on top; slot s + 1 may hold the other one.
        if second == s + 1:
            _copy_state(second, s, rows, offset, nonbasic, column_of, mode, lower, true_lower, parent)
            _copy_state(first, s + 1, rows, offset, nonbasic, column_of, mode, lower, true_lower, parent)
        else:
            _copy_state(second, s, rows, offset, nonbasic, column_of, mode, lower, true_lower, parent)
            if first != s + 1:
                _copy_state(first, s + 1, rows, offset, nonbasic, column_of, mode, lower, true_lower, parent)
        size += 2
    return best, size, nodes, closed


@njit(cache=True)
def search_references(
    follower, leader, slack, shift, tolerance, accuracy, best, strategy, order, position, size, nodes_each,
    abandon, roots, bounds, done, rows, offset, nonbasic, column_of, mode, lower, true_lower, parent,
):  # fmt: skip
    """Search the references in order from a position; returns (best, position, stack size, nodes).

    With abandon each reference gets nodes_each nodes and is left open if they do not suffice; otherwise the
    call returns once nodes_each are used, ready to be resumed. bounds [B] holds what has been certified.
    """
    used = 0
    while position < order.shape[0]:
        c = order[position]
        if done[c]:
            position += 1
            continue
        if size == 0:
            if roots[c] <= best + accuracy:
                bounds[c], done[c] = roots[c], True
                position += 1
                continue
            start(leader, c, follower.shape[1], rows[0], offset[0], nonbasic[0], column_of[0])
            _prepare_root(follower, leader, c, slack, tolerance, mode[0], lower[0], true_lower[0])
            parent[0] = roots[c]
            size = 1
            bounds[c] = -np.inf
        budget = nodes_each if abandon else nodes_each - used
        best, size, nodes, closed = _search_reference(
            follower, leader, c, slack, shift, tolerance, accuracy, best, strategy, size, budget,
            rows, offset, nonbasic, column_of, mode, lower, true_lower, parent,
        )  # fmt: skip
        used += nodes
        bounds[c] = max(bounds[c], closed)
        if size == 0:
            done[c] = True
            position += 1
        elif abandon:
            bounds[c] = roots[c]
            size = 0
            position += 1
        else:
            break
    return best, position, size, used
