"""The paper's linear programs in readable form, by scipy: what method="linprog" of planning functions runs.

They are here to be read beside the paper and to check the fast methods, which share no code with them.
scipy.optimize, which takes half a second to import, waits for the first program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stackel_bench.models import FollowerMDP, PayoffTable
from stackel_bench.tolerances import HIGHS

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

TIGHT = {"primal_feasibility_tolerance": HIGHS, "dual_feasibility_tolerance": HIGHS}
UNBOUNDED = 3  # scipy's status


def occupancy_program(
    mdp: FollowerMDP,
    objective: np.ndarray,
    least_follower_value: float | None = None,
    as_printed: bool = False,
) -> OptimizeResult:
    """min <objective, d> over occupancies d_h(s,b) of the follower's policies: equation (lp-subroutine).

    sum_b d_1(s,b)     = 1[s is the initial state]
    sum_b d_{h+1}(s,b) = sum_{t,b} d_h(t,b) P_h(s|t,b)
    <r_2, d>          >= least_follower_value, if given
    d_h(s,b)          >= 0          as printed for h = 1 only, which leaves it unbounded (erratum 6)
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    horizon, states, actions = mdp.shape
    size = horizon * states * actions
    step, state, _ = np.indices(mdp.shape).reshape(3, -1)
    cell = np.arange(size)
    # Row h S + s is the balance of state s at step h: what is there, minus what arrives.
    moving = cell[step < horizon - 1]
    rows = np.concatenate(
        [step * states + state, np.add.outer((step[moving] + 1) * states, np.arange(states)).ravel()]
    )
    columns = np.concatenate([cell, np.repeat(moving, states)])
    entries = np.concatenate([np.ones(size), -mdp.transitions[:-1].ravel()])
    balance = coo_array((entries, (rows, columns)), shape=(horizon * states, size)).tocsr()
    start = np.zeros(horizon * states)
    start[mdp.initial_state] = 1.0
    lowest = np.where((step == 0) | (not as_printed), 0.0, -np.inf)
    kept = (
        {}
        if least_follower_value is None
        else {"A_ub": -mdp.follower_rewards.reshape(1, -1), "b_ub": [-least_follower_value]}
    )
    return linprog(
        objective.ravel(), A_eq=balance, b_eq=start, bounds=np.stack([lowest, np.full(size, np.inf)], axis=1),
        options=TIGHT, **kept,
    )  # fmt: skip


def near_best_response(mdp: FollowerMDP, slack: float, sign: float) -> tuple[np.ndarray, float, float, float]:
    """WorstCaseBestResponse (sign 1) or BestCaseBestResponse (sign -1): two programs over occupancies.

    First the follower's optimum, then the leader's least (or largest) value among policies within slack of
    it. Returns the policy [H,S,B], uniform where it never comes, the leader's value, the follower's, and the
    optimum. A solver's tolerance stands where slack 0 asks for exactness.
    """
    best = solved(occupancy_program(mdp, -mdp.follower_rewards))
    optimum = -float(best.fun)
    found = solved(occupancy_program(mdp, sign * mdp.leader_rewards, optimum - slack))
    occupancy = np.maximum(found.x.reshape(mdp.shape), 0.0)
    visits = occupancy.sum(axis=2, keepdims=True)
    policy = np.where(visits > 0, occupancy / np.where(visits > 0, visits, 1.0), 1.0 / mdp.shape[2])
    follower = float((occupancy * mdp.follower_rewards).sum())
    return policy, sign * float(found.fun), follower, optimum


def commitment_program(table: PayoffTable, response: int, slack: float) -> OptimizeResult:
    """max pi.v_b over strategies pi to which response b is within slack: the program of lp-simultaneous.

    sum_a pi(a) = 1, pi >= 0
    pi.(w_b - w_k) >= -slack for every k          printed with slack 0 (erratum 1)
    """
    from scipy.optimize import linprog

    leader, follower = table.leader_means, table.follower_means
    ahead = follower[:, [response]] - follower
    return linprog(
        -leader[:, response], A_ub=-ahead.T, b_ub=np.full(follower.shape[1], slack),
        A_eq=np.ones((1, len(leader))), b_eq=[1.0], bounds=(0, None), options=TIGHT,
    )  # fmt: skip


def best_commitment(table: PayoffTable, slack: float) -> tuple[np.ndarray, int, float]:
    """The best of the programs of all responses that some strategy admits: strategy [A], response, value."""
    found = [commitment_program(table, response, slack) for response in range(table.shape[1])]
    values = [-float(result.fun) if result.status == 0 else -np.inf for result in found]
    response = int(np.argmax(values))
    return np.asarray(solved(found[response]).x), response, values[response]


def solved(result: OptimizeResult) -> OptimizeResult:
    """The result, or an ArithmeticError if scipy has none."""
    if result.status != 0:
        raise ArithmeticError(f"scipy's linprog: {result.message}")
    return result
