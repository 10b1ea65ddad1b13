"""Commitments over the simplex by other means: rational breakpoints, subset enumeration, integer programs.

Nothing here imports the planning code. Games are pairs (leader, follower) of [A,B] matrices.
"""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import combinations, pairwise
from typing import NamedTuple

import highspy
import numpy as np
from scipy.optimize import linprog

FAMILIES = ("uniform", "halves", "quarters", "tenths", "repeated", "constant_rows")


def random_game(rng: np.random.Generator, family: str, actions: int, responses: int):
    """A game with payoffs as exact Fractions [A][B] (leader, follower); most families are full of ties."""
    steps = {"uniform": 2**30, "halves": 2, "quarters": 4, "tenths": 10, "repeated": 4, "constant_rows": 4}
    step = steps[family]
    leader = rng.integers(0, step + 1, (actions, responses))
    follower = rng.integers(0, step + 1, (actions, responses))
    if family == "repeated":
        follower[:, rng.integers(responses)] = follower[:, rng.integers(responses)]
        if actions > 1:
            follower[rng.integers(actions)] = follower[rng.integers(actions)]
    if family == "constant_rows":
        follower[rng.integers(actions)] = follower[0, 0]

    def to_fractions(matrix):
        return [[Fraction(int(k), step) for k in row] for row in matrix]

    return to_fractions(leader), to_fractions(follower)


def as_floats(matrix) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in matrix])


def with_mixed_rows(rng: np.random.Generator, leader, follower, extra: int):
    """The same game with extra leader actions that mix the first two: nothing changes."""
    leader, follower = list(leader), list(follower)
    for _ in range(extra):
        share = Fraction(int(rng.integers(0, 5)), 4)
        for matrix in (leader, follower):
            matrix.append([share * x + (1 - share) * y for x, y in zip(matrix[0], matrix[1], strict=True)])
    order = rng.permutation(len(leader))
    return [leader[i] for i in order], [follower[i] for i in order]


class TwoActionGame:
    """Everything about a game with two leader actions, in rational arithmetic; strategy = (1 - p, p)."""

    def __init__(self, leader, follower) -> None:
        self.leader, self.follower = leader, follower
        self.responses = range(len(leader[0]))

    def payoff(self, matrix, p: Fraction, b: int) -> Fraction:
        return (1 - p) * matrix[0][b] + p * matrix[1][b]

    def replies(self, p: Fraction, slack: Fraction) -> list[int]:
        values = [self.payoff(self.follower, p, b) for b in self.responses]
        best = max(values)
        return [b for b in self.responses if best - values[b] <= slack]

    def breakpoints(self, slacks, thresholds=()) -> list[Fraction]:
        """All p where a response set, an order of leader payoffs, or a threshold comparison can change."""
        points = {Fraction(0), Fraction(1)}

        def add_root(start: Fraction, end: Fraction) -> None:
            if start != end and 0 <= start / (start - end) <= 1:
                points.add(start / (start - end))

        for b, k in combinations(self.responses, 2):
            w0, w1 = (self.follower[i][b] - self.follower[i][k] for i in (0, 1))
            for level in {sign * s for s in slacks for sign in (-1, 1)}:
                add_root(w0 - level, w1 - level)
            add_root(*(self.leader[i][b] - self.leader[i][k] for i in (0, 1)))
        for b in self.responses:
            for level in thresholds:
                add_root(self.leader[0][b] - level, self.leader[1][b] - level)
        return sorted(points)

    def extremes(self, points, function):
        """function(p, q) at every breakpoint (p = q) and at both ends q of every open cell with middle p."""
        for p in points:
            yield function(p, p)
        for left, right in pairwise(points):
            middle = (left + right) / 2
            yield function(middle, left)
            yield function(middle, right)

    def supremum(self, slack: Fraction, choose) -> Fraction:
        """sup of phi_slack (choose=min) or psi_slack (choose=max)."""

        def limit(p: Fraction, q: Fraction) -> Fraction:
            return choose(self.payoff(self.leader, q, b) for b in self.replies(p, slack))

        return max(self.extremes(self.breakpoints({Fraction(0), slack}), limit))

    def optimistic_gap(self, epsilon: Fraction) -> Fraction:
        level = self.supremum(Fraction(0), max) - epsilon

        def best(p: Fraction, q: Fraction, slack: Fraction) -> Fraction:
            return max(self.payoff(self.leader, q, b) for b in self.replies(p, slack))

        def limit(p: Fraction, q: Fraction) -> Fraction:
            if best(p, p, epsilon) < level:
                return Fraction(0)
            return best(p, q, epsilon) - best(p, q, Fraction(0))

        return max(self.extremes(self.breakpoints({Fraction(0), epsilon}, {level}), limit))


def maximise(objective, constraints, lower) -> tuple[float, np.ndarray] | None:
    """max over pi of the least pi.objective[:,k] s.t. pi.constraints[:,r] >= lower[r]; None if empty."""
    actions, count = objective.shape
    inequalities = [np.append(-objective[:, k], 1.0) for k in range(count)]
    bounds = [0.0] * count
    for r in range(constraints.shape[1]):
        inequalities.append(np.append(-constraints[:, r], 0.0))
        bounds.append(-lower[r])
    result = linprog(
        np.append(np.zeros(actions), -1.0),
        A_ub=np.array(inequalities),
        b_ub=bounds,
        A_eq=np.append(np.ones(actions), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * actions + [(None, None)],
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.status == 2:
        return None
    assert result.status == 0, result.message
    return -result.fun, result.x[:-1]


def optimistic_maximum(leader: np.ndarray, follower: np.ndarray, slack: float) -> float:
    """max psi_slack by one program per response; a negative slack is a margin over the other responses."""
    values = []
    for b in range(leader.shape[1]):
        others = [k for k in range(leader.shape[1]) if k != b]
        rows = follower[:, [b]] - follower[:, others]
        found = maximise(leader[:, [b]], rows, [-slack] * len(others))
        values.append(-np.inf if found is None else found[0])
    return max(values)


def pessimistic_supremum(
    leader: np.ndarray, follower: np.ndarray, slack: float, strict: float = 1e-9
) -> float:
    """sup phi_slack over all (best reply c, response set T containing c), by 2 programs each.

    The closed program of (c, T) gives the supremum iff some strategy keeps everything outside T out strictly.
    """
    responses = leader.shape[1]
    best = -np.inf
    for c in range(responses):
        others = [k for k in range(responses) if k != c]
        leads = follower[:, [c]] - follower
        for size in range(responses):
            for members in combinations(others, size):
                inside = [c, *members]
                outside = [k for k in others if k not in members]
                lower = [slack if k in outside else 0.0 for k in others]
                found = maximise(leader[:, inside], leads[:, others], lower)
                if found is None or found[0] <= best:
                    continue
                if outside:
                    margins = leads[:, outside] - slack
                    room = maximise(margins, leads[:, others], [0.0] * len(others))
                    if room is None or room[0] <= strict:
                        continue
                best = found[0]
    return best


class IntegerOptimum(NamedTuple):
    """The best value found, whether it is optimal, and the CPU seconds of the solver alone."""

    value: float
    solved: bool
    seconds: float


def pessimistic_milp(
    leader: np.ndarray,
    follower: np.ndarray,
    slack: float,
    margin: float,
    *,
    time_limit: float = 60.0,
    accuracy: float = 1e-7,
) -> IntegerOptimum:
    """One mixed-integer program over all best replies, solved by HiGHS.

    Binary x_b: b may be a response; binary z_c: c is the best reply. margin=0 bounds sup phi_slack from
    above, a positive margin (well above the solver's 1e-6) bounds it from below.
    """
    actions, responses = leader.shape
    solver = _integer_solver(time_limit, accuracy)
    top, low = actions, actions + 1  # the follower's best payoff, the leader's guaranteed payoff
    x = [actions + 2 + b for b in range(responses)]
    z = [actions + 2 + responses + c for c in range(responses)]
    for _ in range(actions):
        solver.addVar(0.0, 1.0)
    solver.addVar(float(follower.min()), float(follower.max()))
    solver.addVar(float(leader.min()), float(leader.max()))
    _add_binaries(solver, (*x, *z))
    solver.changeColCost(low, 1.0)
    _add_row(solver, 1.0, 1.0, dict.fromkeys(range(actions), 1.0))
    _add_row(solver, 1.0, 1.0, dict.fromkeys(z, 1.0))
    leader_range = float(np.ptp(leader))
    follower_range = float(np.ptp(follower))
    worse = slack + margin
    for b in range(responses):
        behind = {top: 1.0, **_terms(-follower[:, b])}
        _add_row(solver, 0.0, INFINITY, behind)
        _add_row(solver, -INFINITY, follower_range, {**behind, z[b]: follower_range})
        _add_row(solver, worse, INFINITY, {**behind, x[b]: worse})
        paid = {low: 1.0, **_terms(-leader[:, b])}
        _add_row(solver, -INFINITY, leader_range, {**paid, x[b]: leader_range})
        _add_row(solver, -INFINITY, 0.0, {z[b]: 1.0, x[b]: -1.0})
    return _solve_integer(solver)


def pessimistic_milp_of_reference(
    leader: np.ndarray,
    follower: np.ndarray,
    slack: float,
    margin: float,
    c: int,
    *,
    relaxed: bool = False,
    time_limit: float = 60.0,
    accuracy: float = 1e-7,
) -> IntegerOptimum:
    """The same where c is the best reply, which needs no z; relaxed drops integrality. -inf if c never is."""
    actions, responses = leader.shape
    solver = _integer_solver(time_limit, accuracy)
    low = actions
    x = [actions + 1 + b for b in range(responses)]
    for _ in range(actions):
        solver.addVar(0.0, 1.0)
    solver.addVar(float(leader.min()), float(leader[:, c].max()))
    if relaxed:
        for _ in x:
            solver.addVar(0.0, 1.0)
    else:
        _add_binaries(solver, x)
    solver.changeColCost(low, 1.0)
    _add_row(solver, 1.0, 1.0, dict.fromkeys(range(actions), 1.0))
    worse = slack + margin
    for b in range(responses):
        paid = {low: 1.0, **_terms(-leader[:, b])}
        if b == c:
            _add_row(solver, -INFINITY, 0.0, paid)
            continue
        ahead = _terms(follower[:, c] - follower[:, b])
        _add_row(solver, 0.0, INFINITY, ahead)
        _add_row(solver, worse, INFINITY, {**ahead, x[b]: worse})
        most = float(leader[:, c].max() - leader[:, b].min())
        _add_row(solver, -INFINITY, most, {**paid, x[b]: most})
    return _solve_integer(solver)


INFINITY = highspy.kHighsInf


def _integer_solver(time_limit: float, accuracy: float) -> highspy.Highs:
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("time_limit", float(time_limit))
    solver.setOptionValue("mip_rel_gap", 0.0)
    solver.setOptionValue("mip_abs_gap", accuracy)
    solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
    return solver


def _add_binaries(solver: highspy.Highs, variables) -> None:
    for variable in variables:
        solver.addVar(0.0, 1.0)
        solver.changeColIntegrality(variable, highspy.HighsVarType.kInteger)


def _terms(column: np.ndarray) -> dict[int, float]:
    return {a: float(value) for a, value in enumerate(column)}


def _add_row(solver: highspy.Highs, lower: float, upper: float, terms: dict[int, float]) -> None:
    solver.addRow(lower, upper, len(terms), list(terms), list(terms.values()))


def _solve_integer(solver: highspy.Highs) -> IntegerOptimum:
    began = time.process_time()
    solver.run()
    seconds = time.process_time() - began
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kInfeasible:
        return IntegerOptimum(-np.inf, True, seconds)
    solved = status == highspy.HighsModelStatus.kOptimal
    return IntegerOptimum(float(solver.getInfo().objective_function_value), solved, seconds)


def pointwise_value(
    leader: np.ndarray, follower: np.ndarray, strategy: np.ndarray, slack: float, choose
) -> float:
    """phi_slack (choose=min) or psi_slack (choose=max) of one strategy, in rational arithmetic."""
    weights = [Fraction(float(x)) for x in strategy]

    def payoff(matrix: np.ndarray, b: int) -> Fraction:
        return sum((w * Fraction(float(x)) for w, x in zip(weights, matrix[:, b], strict=True)), Fraction(0))

    values = [payoff(follower, b) for b in range(leader.shape[1])]
    replies = [b for b, v in enumerate(values) if max(values) - v <= Fraction(slack)]
    return float(choose(payoff(leader, b) for b in replies))
