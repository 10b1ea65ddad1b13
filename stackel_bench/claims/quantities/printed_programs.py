"""The paper's linear programs exactly as printed, and corrected, solved on true games."""

from __future__ import annotations

from stackel_bench.claims.case import Case
from stackel_bench.planning.best_response import worst_case_best_response
from stackel_bench.planning.linear_programs import UNBOUNDED, occupancy_program


def printed_lp_is_unbounded(case: Case) -> float:
    """1 if WorstCaseBestResponse's program, without d_h >= 0 for h >= 2, is unbounded for some action."""
    return float(
        any(
            occupancy_program(
                mdp,
                mdp.leader_rewards,
                worst_case_best_response(mdp, 0.0).follower_optimum - case.epsilon,
                as_printed=True,
            ).status
            == UNBOUNDED
            for mdp in case.mdps
        )
    )


def corrected_lp_error(case: Case) -> float:
    """The largest difference between the program with d >= 0 (by HiGHS) and the solver used here."""
    fast, printed = (
        [worst_case_best_response(mdp, case.epsilon, method=method).leader_value for mdp in case.mdps]
        for method in ("auto", "linprog")
    )
    return max(abs(one - other) for one, other in zip(fast, printed, strict=True))


def iterations_per_variable(case: Case) -> float:
    """HiGHS' iterations on WorstCaseBestResponse's program over its H S B variables, the most of any."""
    found = []
    for mdp in case.mdps:
        least = worst_case_best_response(mdp, 0.0).follower_optimum - case.epsilon
        found.append(occupancy_program(mdp, mdp.leader_rewards, least).nit / mdp.leader_rewards.size)
    return float(max(found))
