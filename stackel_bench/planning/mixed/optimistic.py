"""The best mixed commitment when ties are broken in the leader's favour, or when a margin rules them out."""

from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.models import PayoffTable
from stackel_bench.planning.linear_programs import best_commitment
from stackel_bench.planning.mixed.fixed_order import weighted_sum
from stackel_bench.planning.mixed.simplex.program import unit_payoffs
from stackel_bench.planning.mixed.simplex.single import best_response_regions

METHODS = ("auto", "linprog")


@dataclass(frozen=True, eq=False)
class MixedCommitment:
    """A strategy [A], the response it is played for, and the leader's payoff against that response.

    upper_bound is certified by duality for all strategies, ties counted in, and equals value up to rounding.
    """

    strategy: np.ndarray
    response: int
    value: float
    upper_bound: float


def best_mixed_leader_strategy(
    table: PayoffTable, slack: float = 0.0, *, method: str = "auto"
) -> MixedCommitment:
    """max over the simplex of psi_slack: one linear program per response, cut short once it cannot win.

    Response b is admitted where pi.(w_b - w_k) >= -slack for every k (the paper prints the program without
    its tolerance). The optimum usually sits on such a face: value is the program's, and the rounded strategy,
    evaluated pointwise, may fall off it. method="linprog" solves each program by scipy, to be read beside the
    paper; its upper bound is its value.
    """
    slack = checks.real("slack", slack, least=0.0)
    if checks.choice("method", method, METHODS) == "linprog":
        strategy, response, value = best_commitment(table, slack)
        return MixedCommitment(strategy, response, value, value)
    commitment = _best_over_regions(table, slack)
    assert commitment is not None, "some response is best for every strategy"
    return commitment


def margin_commitment(table: PayoffTable, margin: float) -> MixedCommitment | None:
    """The best commitment whose response beats every other one by the margin; None if no strategy does.

    max_b max_pi pi.v_b s.t. pi.(w_b - w_k) >= margin for every k != b. With margin > 2t the response is the
    only true best one whenever payoffs are known within t, so both tie-breaking rules agree on the value.
    """
    margin = checks.real("margin", margin, least=0.0)
    return _best_over_regions(table, -margin)


def _best_over_regions(table: PayoffTable, slack: float) -> MixedCommitment | None:
    units = unit_payoffs(table)
    peaks = units.leader.max(axis=0)
    order = np.argsort(-peaks, kind="stable")
    response, bound, strategy = best_response_regions(
        units.follower, units.leader, slack / units.follower_unit, peaks, order
    )
    if response < 0:
        return None
    value = weighted_sum(strategy, table.leader_means[:, response])
    strategy.setflags(write=False)
    return MixedCommitment(strategy, int(response), value, max(value, float(bound) * units.leader_unit))
