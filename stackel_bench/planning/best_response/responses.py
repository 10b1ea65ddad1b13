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
from stackel_bench.planning.best_response.chord import search_chords
from stackel_bench.planning.best_response.elimination import search_and_eliminate
from stackel_bench.planning.best_response.findings import MAX_PASSES, STATUS_NAMES, UNFINISHED
from stackel_bench.planning.best_response.mixture import mixture_policies
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
    if method == "linprog":
        return [_by_program(mdp, float(most), tie_breaking) for mdp, most in zip(mdps, slacks, strict=True)]
    size = len(mdps) if len(mdps) > 1 and _worth_stacking(mdps) else 1
    found: list[BestResponse] = []
    for first in range(0, len(mdps), size):
        group = mdps[first : first + size]
        found += best_responses_from_arrays(
            _stacked([mdp.transitions for mdp in group]),
            _stacked([mdp.leader_rewards for mdp in group]),
            _stacked([mdp.follower_rewards for mdp in group]),
            np.array([mdp.initial_state for mdp in group]),
            slacks[first : first + size],
            tie_breaking,
            method,
        )
    return found


def best_responses_from_arrays(
    transitions: np.ndarray,
    leader_rewards: np.ndarray,
    follower_rewards: np.ndarray,
    initial_states: np.ndarray,
    slacks: np.ndarray,
    tie_breaking: TieBreaking,
    method: str = "auto",
) -> list[BestResponse]:
    """One response for each of M models that the caller vouches for: nothing is checked, for inner loops.

    transitions [M,H,S,B,S], rewards [M,H,S,B], slacks [M]: C-contiguous float64; initial_states [M]: int64.
    """
    # Read-only as in a FollowerMDP, so that one compiled version serves both.
    models = _read_only(transitions), _read_only(leader_rewards), _read_only(follower_rewards)
    sign = 1.0 if tie_breaking is TieBreaking.PESSIMISTIC else -1.0
    if method == "auto":
        # Without slack both ends of the first chord are all there is to find.
        small = transitions.nbytes <= SMALL_BYTES * len(transitions)
        method = "chord" if small or not slacks.any() else "eliminate"
    search = search_and_eliminate if method == "eliminate" else search_chords
    actions, findings = search(*models, initial_states, slacks, sign)
    policies = mixture_policies(models[0], initial_states, actions, findings, leader_rewards.shape[3])
    return [_response(policy, row) for policy, row in zip(policies, findings.tolist(), strict=True)]


def _by_program(mdp: FollowerMDP, slack: float, tie_breaking: TieBreaking) -> BestResponse:
    """The paper's programs as they stand; they tell no multiplier."""
    sign = 1.0 if tie_breaking is TieBreaking.PESSIMISTIC else -1.0
    policy, leader, follower, optimum = near_best_response(mdp, slack, sign)
    return BestResponse(policy, leader, follower, optimum, math.nan, "linprog", 2)


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


def _worth_stacking(mdps: Sequence[FollowerMDP]) -> bool:
    first = mdps[0]
    return first.transitions.nbytes <= SMALL_BYTES and all(mdp.shape == first.shape for mdp in mdps)


def _stacked(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.stack(arrays) if len(arrays) > 1 else arrays[0][np.newaxis]


def _read_only(values: np.ndarray) -> np.ndarray:
    if values.flags.writeable:
        values = values.view()
        values.flags.writeable = False
    return values
