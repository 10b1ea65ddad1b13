"""Returns the follower's response that is worst or best for the leader among all within slack of optimal.

Over all follower policies with V2 >= max V2 - slack, the leader's value V1 is minimised (pessimistic) or
maximised (optimistic): the paper's WorstCaseBestResponse and BestCaseBestResponse, without their linear
program. One coupling constraint makes it a one-dimensional search over backward inductions, which ends
after finitely many with the exact optimum; slack = 0 is lexicographic backward induction.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.models import FollowerMDP, TieBreaking
from stackel_bench.planning.best_response.findings import MAX_PASSES, STATUS_NAMES, UNFINISHED
from stackel_bench.planning.best_response.search import search_models
from stackel_bench.planning.linear_programs import near_best_response

METHODS = ("auto", "chord", "eliminate", "linprog")

# A model whose transitions need no more counts as small: re-reading them is cheaper than the book-keeping of
# elimination, and copying several into one stack is cheaper than a call for each.
SMALL_BYTES = 2**16


@dataclass(frozen=True, eq=False, slots=True)
class BestResponse:
    """A Markov policy [H,S,B] of the follower and the values from the initial state that it attains.

    multiplier: how fast the leader's value moves with the slack; inf where slack = 0 made it lexicographic.
    status: lexicographic (slack 0), slack (constraint not binding), constant (slack moves nothing), active.
    passes: backward inductions over the whole model, or over what is left of it when actions are eliminated.
    method="linprog" has status linprog, no multiplier (nan), and counts its two programs as passes.
    """

    policy: np.ndarray
    leader_value: float
    follower_value: float
    follower_optimum: float
    multiplier: float
    status: str
    passes: int


def worst_case_best_response(mdp: FollowerMDP, slack: float, *, method: str = "auto") -> BestResponse:
    """The follower policy with least leader value among those within slack of the follower's optimum.

    method: chord and eliminate find the same optimum; auto takes the faster one for the model's size. linprog
    solves the paper's program by scipy: slow, within a solver's tolerance, to be read and compared with.
    """
    return best_responses([mdp], slack, TieBreaking.PESSIMISTIC, method=method)[0]


def best_case_best_response(mdp: FollowerMDP, slack: float, *, method: str = "auto") -> BestResponse:
    """The follower policy with largest leader value among those within slack of the follower's optimum."""
    return best_responses([mdp], slack, TieBreaking.OPTIMISTIC, method=method)[0]


def best_responses(
    mdps: Sequence[FollowerMDP],
    slack: float | list[float] | tuple[float, ...] | np.ndarray,
    tie_breaking: str | TieBreaking,
    *,
    method: str = "auto",
) -> list[BestResponse]:
    """One response for each model, e.g. each leader action, in one compiled call if they are small and alike.

    slack: one number for all, or one for each model.
    """
    tie_breaking = TieBreaking.parse(tie_breaking)
    checks.choice("method", method, METHODS)
    for index, mdp in enumerate(mdps):
        if not isinstance(mdp, FollowerMDP):
            raise InputError(f"mdps[{index}]", mdp, "a FollowerMDP")
    slacks = _checked_slacks(slack, len(mdps))
    alike = len({mdp.shape for mdp in mdps}) == 1 and mdps[0].transitions.nbytes <= SMALL_BYTES
    size = len(mdps) if alike else 1
    found: list[BestResponse] = []
    for first in range(0, len(mdps), size):
        chosen = slice(first, first + size)
        if method == "linprog":
            found += _by_programs(mdps[chosen], slacks[chosen], tie_breaking)
        else:
            found += _by_search(mdps[chosen], slacks[chosen], tie_breaking, method)
    return found


def _by_search(
    mdps: Sequence[FollowerMDP], slacks: np.ndarray, tie_breaking: TieBreaking, method: str
) -> list[BestResponse]:
    """One response for each model; all have one shape."""
    if method == "auto":
        # Without slack both ends of the first chord are all there is to find.
        small = mdps[0].transitions.nbytes <= SMALL_BYTES
        method = "chord" if small or not slacks.any() else "eliminate"
    policies, findings = search_models(
        _stacked([mdp.transitions for mdp in mdps]),
        _stacked([mdp.leader_rewards for mdp in mdps]),
        _stacked([mdp.follower_rewards for mdp in mdps]),
        np.array([mdp.initial_state for mdp in mdps]),
        slacks,
        _sign(tie_breaking),
        method == "eliminate",
    )
    return [_response(policy, row) for policy, row in zip(policies, findings.tolist(), strict=True)]


def _by_programs(
    mdps: Sequence[FollowerMDP], slacks: np.ndarray, tie_breaking: TieBreaking
) -> list[BestResponse]:
    """The paper's programs as they stand; they tell no multiplier."""
    found = []
    for mdp, slack in zip(mdps, slacks.tolist(), strict=True):
        policy, leader, follower, optimum = near_best_response(mdp, slack, _sign(tie_breaking))
        found.append(BestResponse(policy, leader, follower, optimum, math.nan, "linprog", 2))
    return found


def _sign(tie_breaking: TieBreaking) -> float:
    return 1.0 if tie_breaking is TieBreaking.PESSIMISTIC else -1.0


def _response(policy: np.ndarray, findings: list[float]) -> BestResponse:
    leader_value, follower_value, follower_optimum, multiplier, _, status, passes = findings
    if status == UNFINISHED:
        raise ArithmeticError(
            f"no optimal edge found in {MAX_PASSES} passes: do the rewards hold NaN or inf?"
        )
    values = (leader_value, follower_value, follower_optimum, multiplier)
    return BestResponse(policy, *values, STATUS_NAMES[int(status)], int(passes))


def _checked_slacks(slack: float | list[float] | tuple[float, ...] | np.ndarray, count: int) -> np.ndarray:
    if isinstance(slack, (list, tuple, np.ndarray)):
        slacks = checks.array("slack", slack, shape=(count,))
        checks.reject_first("slack", slacks, slacks < 0, "numbers >= 0")
        return slacks.copy()  # writeable, like the one below: one compiled version
    return np.full(count, checks.real("slack", slack, least=0))


def _stacked(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """The arrays with one more axis in front, read-only like each: one compiled version serves all."""
    if len(arrays) == 1:
        return arrays[0][np.newaxis]
    stacked = np.stack(arrays)
    stacked.flags.writeable = False
    return stacked
