"""Compiled linear programs over the simplex: one dual simplex, and the searches that restart it.

Every program here is

    max t   s.t.   pi in the simplex,   pi.(reference - matrix[:,r]) >= lower[r]  for every row r,
                   pi.objectives[:,k] >= t  for every active k.

A state is an affine map from A non-basic variables (each at 0) to the point: pi_a = offset[a] + rows[a].x and
t = offset[A] + rows[A].x. Only basic pi_a have a stored row, so a pivot costs (support + 1) x A, and a state
is small enough to be copied for every branch. Variables are numbered pi_a: a, row r: A + r, objective k:
A + R + k. Starting at the best action for one objective makes the dual feasible, so there is no first phase;
raising a lower bound or activating an objective keeps it so.

Kernels that call each other share this file because the compiler's cache does not follow edits in imported
kernels. Plain loops instead of array expressions, and no literal arguments (each would be a specialisation of
its own), keep compilation short. Tolerances are arguments too: as constants of another file they would be
compiled in and outlive an edit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.tolerances import PivotTolerances

OPTIMAL, CUTOFF, INFEASIBLE, STOPPED = 0, 1, 2, 3
UNDECIDED, INCLUDED, EXCLUDED, IDLE = 0, 1, 2, 3  # modes of an objective; INCLUDED ones are active
CANDIDATES = 4  # disjunctions compared before branching
TRIAL_PIVOTS = 8  # pivots spent on each side of a comparison
MOST_PIVOTS = 100_000


class Program(NamedTuple):
    """What stays fixed while pivoting: matrix [A,R], reference [A], objectives [A,K]; work space [R], [A]."""

    matrix: np.ndarray
    reference: np.ndarray
    objectives: np.ndarray
    tolerances: PivotTolerances
    payoffs: np.ndarray
    entries: np.ndarray


class State(NamedTuple):
    """rows [A+1,A], offset [A+1], variable of each column [A], column of each pi_a or -1 [A], mode [K].

    lower [R] is what the pivots enforce, true_lower [R] what bounds may rely on. A stack of states has one
    more axis in front of each.
    """

    rows: np.ndarray
    offset: np.ndarray
    nonbasic: np.ndarray
    column_of: np.ndarray
    mode: np.ndarray
    lower: np.ndarray
    true_lower: np.ndarray


class Demands(NamedTuple):
    """What a search asks: replies within slack count, the bound is met within accuracy.

    Excluded replies are kept shift beyond slack, or finest_shift where shift would cost too much.
    """

    slack: float
    shift: float
    finest_shift: float
    accuracy: float
    tolerances: PivotTolerances


@kernel(error_model="numpy")
def _program(matrix: np.ndarray, column: int, objectives: np.ndarray, tolerances: PivotTolerances) -> Program:
    """The program whose reference is a column of the matrix."""
    actions, num_rows = matrix.shape
    reference = np.empty(actions)
    for a in range(actions):
        reference[a] = matrix[a, column]
    return Program(matrix, reference, objectives, tolerances, np.empty(num_rows), np.empty(actions))


@kernel(error_model="numpy")
def _state(actions: int, num_rows: int, num_objectives: int, lower: float, relaxed: float) -> State:
    """Room for one state, no objective active, every lower bound the same, bounds may rely on less."""
    bounds = np.empty(num_rows)
    true_bounds = np.empty(num_rows)
    for r in range(num_rows):
        bounds[r] = lower
        true_bounds[r] = lower - relaxed
    return State(
        np.empty((actions + 1, actions)),
        np.empty(actions + 1),
        np.empty(actions, np.int64),
        np.empty(actions, np.int64),
        np.zeros(num_objectives, np.int8),
        bounds,
        true_bounds,
    )


@kernel(error_model="numpy")
def _level(stack: State, level: int) -> State:
    """One state of a stack, as views."""
    return State(
        stack.rows[level],
        stack.offset[level],
        stack.nonbasic[level],
        stack.column_of[level],
        stack.mode[level],
        stack.lower[level],
        stack.true_lower[level],
    )


@kernel(error_model="numpy")
def _start(program: Program, first: int, state: State) -> None:
    """Write the dual feasible state at the best action for one objective, and activate that one."""
    objectives, (actions, num_rows) = program.objectives, program.matrix.shape
    best = 0
    for a in range(1, actions):
        if objectives[a, first] > objectives[best, first]:
            best = a
    column = 0
    for a in range(actions):
        state.offset[a] = 0.0
        state.column_of[a] = -1
        if a != best:
            state.nonbasic[column] = a
            state.column_of[a] = column
            state.rows[best, column] = -1.0
            state.rows[actions, column] = objectives[a, first] - objectives[best, first]
            column += 1
    state.nonbasic[column] = actions + num_rows + first
    state.rows[best, column] = 0.0
    state.rows[actions, column] = -1.0
    state.offset[best] = 1.0
    state.offset[actions] = objectives[best, first]
    state.mode[first] = INCLUDED


@kernel(error_model="numpy")
def _reoptimise(program: Program, state: State, stop: float, limit: int | np.int64) -> tuple[int, int]:
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
            if entries[j] <= program.tolerances.smallest_pivot:
                continue
            ratio = max(0.0, -bounds[j]) / entries[j]
            if ratio > smallest + program.tolerances.equal_ratios:
                continue
            tied = ratio >= smallest - program.tolerances.equal_ratios
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
    worst, leaving = -program.tolerances.feasibility, -1
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
def _certified_bound(program: Program, state: State) -> float:
    """An upper bound of the program by weak duality: right whatever the pivots did, up to rounding."""
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
def _relaxed_value(program: Program, state: State) -> float:
    """The state's value if every row were relaxed by the feasibility tolerance, read off its multipliers."""
    actions, num_rows = program.matrix.shape
    value = float(state.offset[actions])
    for j in range(actions):
        if actions <= state.nonbasic[j] < actions + num_rows:
            value += program.tolerances.feasibility * max(0.0, -state.rows[actions, j])
    return value


@kernel(error_model="numpy")
def _proves_infeasible(program: Program, state: State, leaving: int, allowance: float) -> bool:
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


@kernel(error_model="numpy")
def _distribution(state: State, strategy: np.ndarray) -> None:
    """Write the state's point as a strategy [A], free of rounding below 0."""
    total = 0.0
    for a in range(strategy.shape[0]):
        strategy[a] = max(0.0, state.offset[a]) if state.column_of[a] < 0 else 0.0
        total += strategy[a]
    for a in range(strategy.shape[0]):
        strategy[a] /= total


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
    state = _state(actions, num_rows, objectives.shape[1], 0.0, 0.0)
    for r in range(num_rows):
        state.lower[r] = lower[r]
        state.true_lower[r] = lower[r] - tolerances.feasibility
    for k in range(objectives.shape[1]):
        state.mode[k] = INCLUDED
    _start(program, k, state)
    status, leaving = _reoptimise(program, state, stop, np.int64(MOST_PIVOTS))
    strategy = np.empty(actions)
    _distribution(state, strategy)
    if status == INFEASIBLE:
        if _proves_infeasible(program, state, leaving, 0.0):
            return status, -np.inf, strategy
        status = STOPPED
    return status, _certified_bound(program, state), strategy


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
    state = _state(actions, num_rows, 1, 0.0, 0.0)
    for r in range(num_rows):
        state.lower[r] = lower[r]
    state.mode[0] = INCLUDED
    _start(program, 0, state)
    status, _ = _reoptimise(program, state, -np.inf, np.int64(MOST_PIVOTS))
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
    state = _state(actions, responses, responses, -slack, tolerances.feasibility)
    for b in order:
        if peaks[b] <= best:
            break
        program = _program(follower, b, leader, tolerances)
        state.lower[b], state.true_lower[b] = -1.0, -1.0  # b need not beat itself
        _start(program, b, state)
        status, leaving = _reoptimise(program, state, best, np.int64(MOST_PIVOTS))
        if status == OPTIMAL:
            best, response = float(state.offset[actions]), b
            _distribution(state, strategy)
        if status == CUTOFF and _relaxed_value(program, state) <= bound:
            pass  # the certified bound would not be larger
        elif status != INFEASIBLE or not _proves_infeasible(program, state, leaving, 0.0):
            bound = max(bound, _certified_bound(program, state))
        state.mode[b], state.lower[b] = UNDECIDED, -slack
        state.true_lower[b] = -slack - tolerances.feasibility
    return response, bound, strategy


@kernel(error_model="numpy")
def _overwrite(target: np.ndarray, source: np.ndarray) -> None:
    for a in range(target.shape[0]):
        target[a] = source[a]


@kernel(error_model="numpy")
def _pessimistic_value(
    follower: np.ndarray, leader: np.ndarray, strategy: np.ndarray, slack: float, payoffs: np.ndarray
) -> float:
    """The worst leader payoff among replies within slack; fills both players' payoffs [2,B]."""
    responses = payoffs.shape[1]
    for b in range(responses):
        payoffs[0, b], payoffs[1, b] = 0.0, 0.0
    for a in range(strategy.shape[0]):
        weight = strategy[a]
        if weight != 0.0:
            for b in range(responses):
                payoffs[0, b] += weight * leader[a, b]
                payoffs[1, b] += weight * follower[a, b]
    best, worst = -np.inf, np.inf
    for b in range(responses):
        best = max(best, payoffs[1, b])
    for b in range(responses):
        if best - payoffs[1, b] <= slack:
            worst = min(worst, payoffs[0, b])
    return worst


@kernel(error_model="numpy")
def root_bounds(
    follower: np.ndarray, leader: np.ndarray, demands: Demands, strategy: np.ndarray
) -> tuple[float, np.ndarray]:
    """(best value found, bound [B] per reference response); the incumbent's strategy [A] is written in place.

    bound[c] is at least every value that strategies with best reply c reach; -inf if c is never a best reply,
    or if c's column repeats an earlier one.
    """
    actions, responses = follower.shape
    allowance = demands.tolerances.feasibility
    reach = demands.slack + allowance
    payoffs = np.empty((2, responses))
    bounds = np.empty(responses)
    best = -np.inf
    vertex = np.zeros(actions)
    for a in range(actions):
        vertex[a] = 1.0
        value = _pessimistic_value(follower, leader, vertex, reach, payoffs)
        if value > best:
            best = value
            _overwrite(strategy, vertex)
        vertex[a] = 0.0
    state = _state(actions, responses, responses, 0.0, 0.0)
    for c in range(responses):
        bounds[c] = -np.inf
        if _repeats_earlier(follower, c, allowance):
            continue
        program = _program(follower, c, leader, demands.tolerances)
        _start(program, c, state)
        status, leaving = _reoptimise(program, state, best + demands.accuracy, np.int64(MOST_PIVOTS))
        state.mode[c] = UNDECIDED
        if status == INFEASIBLE and _proves_infeasible(program, state, leaving, allowance):
            continue
        bounds[c] = _certified_bound(program, state)
        _distribution(state, vertex)
        value = _pessimistic_value(follower, leader, vertex, reach, payoffs)
        if value > best:
            best = value
            _overwrite(strategy, vertex)
    return best, bounds


@kernel(error_model="numpy")
def _repeats_earlier(follower: np.ndarray, c: int, tolerance: float) -> bool:
    for b in range(c):
        a = 0
        while a < follower.shape[0] and abs(follower[a, b] - follower[a, c]) <= tolerance:
            a += 1
        if a == follower.shape[0]:
            return True
    return False


@kernel(error_model="numpy")
def _decide_root(program: Program, c: int, demands: Demands, state: State) -> None:
    """Decide what can be decided for every strategy at once: replies that always or never matter."""
    actions, responses = program.matrix.shape
    reach = demands.slack + demands.tolerances.feasibility
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
def _copy(source: State, target: State) -> None:
    actions = source.nonbasic.shape[0]
    for a in range(actions + 1):
        target.offset[a] = source.offset[a]
        if a == actions or source.column_of[a] < 0:
            for j in range(actions):
                target.rows[a, j] = source.rows[a, j]
    for j in range(actions):
        target.nonbasic[j] = source.nonbasic[j]
        target.column_of[j] = source.column_of[j]
    for b in range(source.mode.shape[0]):
        target.mode[b] = source.mode[b]
        target.lower[b] = source.lower[b]
        target.true_lower[b] = source.true_lower[b]


@kernel(error_model="numpy")
def _exclude(state: State, b: int, demands: Demands, shift: float) -> None:
    """Demand that reply b be worse than the reference by slack + shift; the state stays dual feasible."""
    actions = state.nonbasic.shape[0]
    margin = demands.slack + shift
    raised = margin - state.lower[b]
    for j in range(actions):
        if state.nonbasic[j] == actions + b:
            for a in range(actions + 1):
                if a == actions or state.column_of[a] < 0:
                    state.offset[a] += raised * state.rows[a, j]
    state.mode[b], state.lower[b], state.true_lower[b] = EXCLUDED, margin, demands.slack


@kernel(error_model="numpy")
def _refine(state: State, demands: Demands) -> bool:
    """Reduce the margin of excluded replies to the finest one; whether that changed anything."""
    changed = False
    for b in range(state.lower.shape[0]):
        if state.mode[b] == EXCLUDED and state.lower[b] > demands.slack + demands.finest_shift:
            _exclude(state, b, demands, demands.finest_shift)
            changed = True
    return changed


@kernel(error_model="numpy")
def _bound_node(
    program: Program, state: State, demands: Demands, inherited: float, goal: float
) -> tuple[float, bool]:
    """(certified bound, whether the node is closed): closed if infeasible or bounded by the goal."""
    stop = goal
    while True:
        status, leaving = _reoptimise(program, state, stop, np.int64(MOST_PIVOTS))
        if status == INFEASIBLE:
            if _proves_infeasible(program, state, leaving, demands.tolerances.feasibility):
                return -np.inf, True
            if not _refine(state, demands):
                return inherited, True
            continue
        bound = min(inherited, _certified_bound(program, state))
        if bound <= goal or status != CUTOFF:
            return bound, bound <= goal
        stop = -np.inf  # the pivots ask for slack + shift, the bound only for slack: it can lag behind


@kernel(error_model="numpy")
def _most_violated(
    state: State, c: int, demands: Demands, payoffs: np.ndarray, chosen: np.ndarray, violation: np.ndarray
) -> int:
    """How many disjunctions "paid at least t, or worse by the margin" fail; the worst ones go to chosen."""
    found = 0
    negligible = min(demands.tolerances.negligible, 0.125 * demands.accuracy)
    total = state.offset[state.nonbasic.shape[0]]
    for b in range(payoffs.shape[1]):
        short = total - payoffs[0, b]
        near = demands.slack + demands.finest_shift - (payoffs[1, c] - payoffs[1, b])
        if state.mode[b] != UNDECIDED or short <= negligible or near <= 0.5 * demands.finest_shift:
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
def _branch(
    program: Program, demands: Demands, stack: State, level: int, chosen: np.ndarray, found: int, goal: float
) -> None:
    """Put the two sides of the best disjunction on levels level and level + 1, the promising one on top.

    Each candidate's sides are tried with a few pivots; the largest product of falls of the bound wins.
    """
    actions = program.matrix.shape[0]
    state = _level(stack, level)
    total = state.offset[actions]
    pick, score = 0, -1.0
    for i in range(found):
        product = 1.0
        for side in range(2):
            trial = _level(stack, level + 1 + 2 * i + side)
            _copy(state, trial)
            if side == 0:
                trial.mode[chosen[i]] = INCLUDED
            else:
                _exclude(trial, chosen[i], demands, demands.shift)
            status, _ = _reoptimise(program, trial, goal, np.int64(TRIAL_PIVOTS))
            fall = 10.0 if status == INFEASIBLE else total - trial.offset[actions]
            product *= max(fall, demands.tolerances.least_fall)
        if product > score:
            pick, score = i, product
    first, second = level + 1 + 2 * pick, level + 2 + 2 * pick
    if stack.offset[first, actions] < stack.offset[second, actions]:
        first, second = second, first
    _copy(_level(stack, second), state)
    if first != level + 1:
        _copy(_level(stack, first), _level(stack, level + 1))


@kernel(error_model="numpy")
def _search_reference(
    program: Program,
    c: int,
    demands: Demands,
    best: float,
    strategy: np.ndarray,
    stack: State,
    inherited: np.ndarray,
    size: int,
    budget: int,
) -> tuple[float, int, int, float]:
    """Depth-first search below the states on the stack, at most budget nodes.

    Returns (best value, stack size left, nodes used, bound of everything closed in this call). inherited
    holds a bound for each state on the stack.
    """
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
        state = _level(stack, size)
        bound, closed = _bound_node(program, state, demands, inherited[size], best + demands.accuracy)
        if not closed:
            _distribution(state, vertex)
            reach = demands.slack + demands.tolerances.feasibility
            value = _pessimistic_value(program.matrix, program.objectives, vertex, reach, payoffs)
            if value > best:
                best = value
                _overwrite(strategy, vertex)
            found = _most_violated(state, c, demands, payoffs, chosen, violation)
            closed = bound <= best + demands.accuracy
            if not closed and found == 0:
                # Nothing left to decide, so the shift is what keeps value and bound apart.
                inherited[size] = bound
                closed = not _refine(state, demands)
                size += 0 if closed else 1
            elif not closed:
                _branch(program, demands, stack, size, chosen, found, best + demands.accuracy)
                inherited[size], inherited[size + 1] = bound, bound
                size += 2
        if closed:
            closed_bound = max(closed_bound, bound)
    return best, size, nodes, closed_bound


@kernel(error_model="numpy")
def search_references(
    follower: np.ndarray,
    leader: np.ndarray,
    demands: Demands,
    best: float,
    strategy: np.ndarray,
    roots: np.ndarray,
    order: np.ndarray,
    position: int,
    size: int,
    budget: int,
    abandon: bool,
    bounds: np.ndarray,
    done: np.ndarray,
    stack: State,
    inherited: np.ndarray,
) -> tuple[float, int, int, int]:
    """Search the references in order from a position; returns (best value, position, stack size, nodes).

    With abandon each reference gets the budget of nodes and is left open if that does not suffice; otherwise
    the call returns once the budget is used, ready to be resumed. bounds [B] holds what has been certified.
    """
    used = 0
    while position < order.shape[0]:
        c = order[position]
        if done[c] or (size == 0 and roots[c] <= best + demands.accuracy):
            done[c] = True
            position += 1
            continue
        program = _program(follower, c, leader, demands.tolerances)
        if size == 0:
            state = _level(stack, size)
            _decide_root(program, c, demands, state)
            _start(program, c, state)
            inherited[0] = roots[c]
            size = 1
            bounds[c] = -np.inf
        best, size, nodes, closed_bound = _search_reference(
            program, c, demands, best, strategy, stack, inherited, size, budget if abandon else budget - used
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
