"""Independent reference: the best response as a linear program over occupancy measures, solved by HiGHS.

The paper's WorstCaseBestResponse program with the non-negativity that it omits. Nothing of the package's
planning code is used: the follower's optimum that the constraint needs is a linear program as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True)
class OccupancyProgram:
    """Equalities flow @ d = entry over occupancies d [H*S*B] >= 0, and the rewards to weigh them with."""

    flow: csr_array
    entry: np.ndarray
    leader_rewards: np.ndarray
    follower_rewards: np.ndarray


def occupancy_program(mdp) -> OccupancyProgram:
    """Flow: sum_b d_h(s,b) - sum_{t,b} d_{h-1}(t,b) P_{h-1}(s|t,b) = 1 at the start, 0 elsewhere."""
    horizon, states, actions = mdp.shape
    step, state, _ = np.indices(mdp.shape).reshape(3, -1)
    column = np.arange(horizon * states * actions)
    rows, columns, entries = [step * states + state], [column], [np.ones(column.size)]
    moving = column[step < horizon - 1]
    probability = mdp.transitions[:-1].reshape(moving.size, states)
    origin, target = np.nonzero(probability)
    rows.append((step[moving][origin] + 1) * states + target)
    columns.append(moving[origin])
    entries.append(-probability[origin, target])
    flow = csr_array(
        (np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))),
        shape=(horizon * states, column.size),
    )
    entry = np.zeros(horizon * states)
    entry[mdp.initial_state] = 1.0
    return OccupancyProgram(flow, entry, mdp.leader_rewards.ravel(), mdp.follower_rewards.ravel())


def solve(
    program: OccupancyProgram, objective: np.ndarray, least_follower_value: float | None = None, **options
):
    """HiGHS's answer for min objective @ d subject to the flow and, if given, the follower's least value."""
    coupling = {}
    if least_follower_value is not None:
        coupling = {
            "A_ub": csr_array(-program.follower_rewards[np.newaxis]),
            "b_ub": np.array([-least_follower_value]),
        }
    method = options.pop("method", "highs-ds")
    return linprog(
        objective,
        A_eq=program.flow,
        b_eq=program.entry,
        bounds=(0, None),
        method=method,
        options=OPTIONS | options,
        **coupling,
    )


def follower_optimum(program: OccupancyProgram) -> float:
    return -optimal(solve(program, -program.follower_rewards))


def leader_value(program: OccupancyProgram, least_follower_value: float, *, worst: bool) -> float:
    sign = 1.0 if worst else -1.0
    return sign * optimal(solve(program, sign * program.leader_rewards, least_follower_value))


def optimal(answer) -> float:
    assert answer.status == 0, answer.message
    return float(answer.fun)
