"""The pessimistic supremum over the simplex against exact best replies, by 2B linear programs."""

from dataclasses import dataclass

import numpy as np

from stackel_bench.models import PayoffTable
from stackel_bench.planning.mixed.fixed_order import weighted_rows
from stackel_bench.planning.mixed.simplex.pivots import INFEASIBLE, OPTIMAL
from stackel_bench.planning.mixed.simplex.program import unit_payoffs
from stackel_bench.planning.mixed.simplex.single import maximin
from stackel_bench.tolerances import TIE


@dataclass(frozen=True, eq=False)
class ExactReplySupremum:
    """sup phi_0 with the vertex [A] where it is approached and an interior point [A] to approach it from.

    Along (1 - x) vertex + x interior, 0 < x <= 1, only responses tied at every strategy remain best, by at
    least x * margin, and the value is linear from supremum (x -> 0) down to interior_value (x = 1).
    """

    supremum: float
    upper_bound: float
    vertex: np.ndarray
    interior: np.ndarray
    interior_value: float
    margin: float


def exact_reply_supremum(table: PayoffTable) -> ExactReplySupremum:
    """sup phi_0 = max over classes c that are somewhere strictly best of max_{R_c} min_{k in c} pi.v_k.

    A class holds responses with equal follower columns; R_c is where they are best (von Stengel and Zamir).
    Regions without interior are covered by their neighbours, whose values count there as well.
    """
    units = unit_payoffs(table)
    leader, follower = units.leader, units.follower
    num_responses = follower.shape[1]
    classes = _classes(follower)
    peaks = np.array([leader[:, members].max(axis=0).min() for members in classes])
    lower = np.zeros(num_responses)
    best, bound = -np.inf, -np.inf
    found: tuple[np.ndarray, np.ndarray, float, float] | None = None
    for index in np.argsort(-peaks, kind="stable"):
        members = classes[index]
        if peaks[index] <= best:
            break
        reference = follower[:, members[0]].copy()
        objectives = np.ascontiguousarray(leader[:, members])
        status, high, vertex = maximin(follower, reference, lower, objectives, best)
        if status == INFEASIBLE or high <= best:
            continue
        margin, interior = _widest_margin(follower, members)
        if margin <= TIE:
            continue
        bound = max(bound, high)
        value = float(weighted_rows(vertex, objectives).min())
        if status == OPTIMAL and value > best:
            best = value
            found = vertex, interior, float(weighted_rows(interior, objectives).min()), margin
    assert found is not None, "some class of responses is strictly best somewhere"
    vertex, interior, interior_value, margin = found
    unit = units.leader_unit
    return ExactReplySupremum(
        best * unit,
        max(best, bound) * unit,
        vertex,
        interior,
        interior_value * unit,
        margin * units.follower_unit,
    )


def _classes(follower: np.ndarray) -> list[np.ndarray]:
    """The responses grouped by equal follower columns."""
    classes: list[list[int]] = []
    for b in range(follower.shape[1]):
        for members in classes:
            if np.abs(follower[:, b] - follower[:, members[0]]).max() <= TIE:
                members.append(b)
                break
        else:
            classes.append([b])
    return [np.array(members) for members in classes]


def _widest_margin(follower: np.ndarray, members: np.ndarray) -> tuple[float, np.ndarray]:
    """The largest lead of the class over all other responses, and a strategy that gives it."""
    others = np.setdiff1d(np.arange(follower.shape[1]), members)
    actions = follower.shape[0]
    if others.size == 0:
        return np.inf, np.full(actions, 1.0 / actions)
    leads = np.ascontiguousarray(follower[:, members[:1]] - follower[:, others])
    unconstrained = np.zeros((actions, 1))
    status, _, strategy = maximin(unconstrained, np.zeros(actions), np.zeros(1), leads, -np.inf)
    assert status == OPTIMAL
    return float(weighted_rows(strategy, leads).min()), strategy
