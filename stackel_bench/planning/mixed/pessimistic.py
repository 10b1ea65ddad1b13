"""The best mixed commitment against the worst reply within slack, with a certified bound on its loss."""

import math
import time
from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.mixed.exact_replies import exact_reply_supremum
from stackel_bench.planning.mixed.simplex.branch_and_bound import compile_search, search_commitment
from stackel_bench.planning.mixed.value import mixed_leader_value
from stackel_bench.tolerances import ACCURACY, ATTAINED, Ties


@dataclass(frozen=True, eq=False)
class CertifiedCommitment:
    """A strategy [A], its worst response, and the value it really attains against that response.

    value <= supremum <= upper_bound, always. finished says that upper_bound <= value + accuracy; it is False
    if the time limit came first (or if accuracy is below what rounding can certify).
    """

    strategy: np.ndarray
    response: int
    value: float
    upper_bound: float
    finished: bool
    nodes: int


def worst_case_mixed_leader_strategy(
    table: PayoffTable, slack: float = 0.0, accuracy: float = ACCURACY, time_limit: float | None = None
) -> CertifiedCommitment:
    """sup over the simplex of phi_slack within accuracy, or the best certified interval at the time limit.

    slack = 0 needs 2B linear programs; slack > 0 is NP-hard and solved by branch and bound. time_limit is in
    seconds of wall time and checked every few milliseconds.
    """
    slack = checks.real("slack", slack, least=0.0)
    accuracy = checks.real("accuracy", accuracy, least=0.0, open_least=True)
    if time_limit is not None:
        time_limit = checks.real("time_limit", time_limit, least=0.0, open_least=True)
    nodes = 0
    if slack <= Ties.among(table.follower_means).tolerance:
        strategy, bound = _approach_exact_supremum(table, slack, accuracy)
    else:
        compile_search()
        deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        strategy, bound, nodes = search_commitment(table, slack, accuracy, deadline)
    value, response, _ = mixed_leader_value(table, strategy, slack, TieBreaking.PESSIMISTIC)
    bound = max(bound, value)
    strategy.setflags(write=False)
    return CertifiedCommitment(strategy, response, value, bound, bool(bound <= value + accuracy), nodes)


def _approach_exact_supremum(table: PayoffTable, slack: float, accuracy: float) -> tuple[np.ndarray, float]:
    """A strategy within accuracy of sup phi_0: the vertex if it attains it, else shifted inside."""
    exact = exact_reply_supremum(table)
    attained = mixed_leader_value(table, exact.vertex, slack, TieBreaking.PESSIMISTIC).value
    if exact.supremum - attained <= ATTAINED:
        return exact.vertex, exact.upper_bound
    loss = exact.supremum - exact.interior_value
    share = 1.0 if loss <= 0 else min(1.0, 0.5 * accuracy / loss)
    shifted = (1.0 - share) * exact.vertex + share * exact.interior
    return shifted / shifted.sum(), exact.upper_bound
