"""The paper's linear programs exactly as printed, and corrected, solved on true games."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.optimize import linprog

from stackel_bench.claims.case import Case
from stackel_bench.models import FollowerMDP
from stackel_bench.planning.best_response import worst_case_best_response

_UNBOUNDED = 3  # scipy's status


def printed_lp_is_unbounded(case: Case) -> float:
    """1 if WorstCaseBestResponse's program, without d_h >= 0 for h >= 2, is unbounded for some action."""
    return float(any(_solve(mdp, case.epsilon, corrected=False) is None for mdp in case.mdps))


def corrected_lp_error(case: Case) -> float:
    """The largest difference between the program with d >= 0 (by HiGHS) and the solver used here."""
    differences = []
    for mdp in case.mdps:
        found = _solve(mdp, case.epsilon, corrected=True)
        assert found is not None
        differences.append(abs(found - worst_case_best_response(mdp, case.epsilon).leader_value))
    return max(differences)


def _solve(mdp: FollowerMDP, slack: float, corrected: bool) -> float | None:
    """min of the leader's value over occupancies with a follower value within slack; None if unbounded."""
    horizon, states, actions = mdp.leader_rewards.shape
    shape = (horizon, states, actions)
    size = horizon * states * actions
    index = np.arange(size).reshape(shape)
    rows, bounds_right = [], []
    for step in range(horizon - 1):
        for state in range(states):
            row = np.zeros(size)
            row[index[step].ravel()] = mdp.transitions[step, :, :, state].ravel()
            row[index[step + 1, state]] -= 1.0
            rows.append(row)
            bounds_right.append(0.0)
    start = np.zeros(size)
    start[index[0, mdp.initial_state]] = 1.0
    rows.append(start)
    bounds_right.append(1.0)
    bounds: list[tuple[float | None, float | None]] = [(0.0 if corrected else None, None)] * size
    for state in range(states):
        for cell in index[0, state]:
            bounds[cell] = (0.0, None) if state == mdp.initial_state else (0.0, 0.0)
    target = worst_case_best_response(mdp, 0.0).follower_optimum - slack
    result = linprog(
        mdp.leader_rewards.ravel(),
        A_ub=-mdp.follower_rewards.reshape(1, -1),
        b_ub=[-target],
        A_eq=np.array(rows),
        b_eq=np.array(bounds_right),
        bounds=bounds,
    )
    return None if result.status == _UNBOUNDED else float(result.fun)


QUANTITIES: Mapping[str, Callable[[Case], float]] = {
    function.__name__: function for function in (printed_lp_is_unbounded, corrected_lp_error)
}
