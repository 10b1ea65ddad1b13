"""The payoff tables of the paper and of its errata."""

import numpy as np

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.models import PayoffTable
from stackel_bench.tolerances import TYPED_LIMIT


def hard_pair_table(sign: int, delta: float) -> PayoffTable:
    """The game M_1 or M_-1 of the Omega(1) lower bound (paper, proof of its first theorem), A = B = 2.

    In the first row the leader gets 1 or 0 and the follower's preference, sign * delta, is too small to be
    learned: phi_0 of the row is 1 if sign = 1, else 0. The second row is worth 1/2. With delta =
    1 / sqrt(13.5 n), every learner with n samples is wrong by 1/2 with probability >= 1/3 in one of the two.
    """
    if isinstance(sign, bool) or sign not in (1, -1):
        raise InputError("sign", sign, "1 or -1")
    shift = sign * checks.real("delta", delta, least=0, most=1, open_least=True, open_most=True)
    follower = np.array([[(1 + shift) / 2, (1 - shift) / 2], [1.0, 1.0]])
    return PayoffTable(np.array([[1.0, 0.0], [0.5, 0.5]]), follower)


def gap_table(epsilon: float, lower_epsilon: float) -> PayoffTable:
    """The game of the lemma on the gap, A = B = 2: max phi_{eps1} = 1 and max phi_{eps2} = 1/2.

    eps1 = lower_epsilon < eps2 = epsilon. In the first row the follower's second response, worth 0 to the
    leader, is worse by (eps1 + eps2) / 2: a response at slack eps2 but not at eps1.
    """
    upper = checks.real("epsilon", epsilon, least=0, most=1, open_least=True, open_most=True)
    lower = checks.real("lower_epsilon", lower_epsilon, least=0, most=upper, open_most=True)
    follower = np.array([[(lower + upper) / 2, 0.0], [1.0, 1.0]])
    return PayoffTable(np.array([[1.0, 0.0], [0.5, 0.5]]), follower)


def lower_bound_table(
    num_leader_actions: int,
    num_follower_actions: int,
    epsilon: float,
    gap: float,
    bump: float,
    optimal_leader_action: int | None,
    optimal_response: int | None,
    near_response: int | None,
) -> PayoffTable:
    """A member of the Omega(AB/eps^2) family: gap_eps = gap, and every other row loses gap + bump * eps.

    Follower actions form three blocks of floor(B/3), floor(B/3) and the rest, where the leader gets
    1/2 + gap + bump * eps, 1/2 + bump * eps and 1/2. The follower gets 1/2, except in the optimal row:
    1/2 + 2 eps at one action of the first block (optimal_response) and 1/2 + 5 eps / 4 at one of the second
    (near_response, counted from the block's start). Printed with bump 1, where the loss equals what the upper
    bound allows; bump > 1 makes a wrong row a violation.
    """
    rows = checks.integer("num_leader_actions", num_leader_actions, least=2)
    columns = checks.integer("num_follower_actions", num_follower_actions, least=3)
    eps = checks.real("epsilon", epsilon, least=0, most=0.25, open_least=True)
    factor = checks.real("bump", bump, least=1)
    # The largest leader payoff is 1/2 + gap + bump * eps; the sum's last bits are not the user's mistake.
    checks.real("bump * epsilon", factor * eps, most=0.5)
    gap = checks.real("gap", gap, least=0, most=0.5 - factor * eps + TYPED_LIMIT)
    block = columns // 3
    row = _index("optimal_leader_action", optimal_leader_action, rows)
    first = _index("optimal_response", optimal_response, block)
    second = block + _index("near_response", near_response, block)
    leader = np.full((rows, columns), 0.5)
    leader[:, : 2 * block] += factor * eps
    leader[:, :block] = np.minimum(leader[:, :block] + gap, 1.0)
    follower = np.full((rows, columns), 0.5)
    follower[row, first] += 2 * eps
    follower[row, second] += 5 * eps / 4
    return PayoffTable(leader, follower)


def trap_table(num_risky: int, lead: float) -> PayoffTable:
    """Rows with two responses worth 1 and 0 to the leader, and one row that is safely worth 1/2.

    In a risky row the follower prefers the first response by `lead`. Where that is 0 the optimum is 1/2 and
    gap_eps = 0, yet picking any empirical best response risks a row worth 0. With lead eps/2 the row is still
    worth 0 to a follower who errs by eps/2: tolerance 3 eps/4 must see that, which takes every sample that
    the theorem asks for up to a factor. With lead just below -eps the same holds for ties in the leader's
    favour.
    """
    rows = checks.integer("num_risky", num_risky, least=1)
    half = checks.real("lead", lead, least=-1, most=1) / 2
    leader, follower = np.full((2, rows + 1, 2), 0.5)
    leader[:rows] = (1.0, 0.0)
    follower[:rows] += (half, -half)
    return PayoffTable(leader, follower)


def commitment_table() -> PayoffTable:
    """The paper's 2x2 game in which the best commitment is mixed, leader payoffs divided by 4 to fit [0,1].

    The unique Nash equilibrium is worth 1/2 to the leader, committing to (1/2, 1/2) is worth 7/8: at slack
    eps, sup phi is 7/8 - eps/8 and max psi is 7/8 + eps/8, the optimistic gap is 1/2.
    """
    return PayoffTable(np.array([[2.0, 4.0], [1.0, 3.0]]) / 4, np.eye(2))


def indifference_table() -> PayoffTable:
    """A game whose first two responses tie exactly, so that an LP without tolerance loses one of them.

    The leader's optimum, 1, needs response 0; exact best responses of an estimate contain it about half the
    time. The optimistic gap is 0.
    """
    follower = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 1.0]])
    return PayoffTable(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.5]]), follower)


def explicit_table(leader_means: object, follower_means: object) -> PayoffTable:
    """The two matrices as given, rows are leader actions."""
    return PayoffTable(leader_means, follower_means)  # type: ignore[arg-type]


def _index(field: str, value: int | None, size: int) -> int:
    # The last one by default: argmax ties go to the lowest index, which would then be right by luck.
    return size - 1 if value is None else checks.integer(field, value, least=0, most=size - 1)
