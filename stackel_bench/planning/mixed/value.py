"""What given mixed leader strategies earn when the follower replies within slack of its best."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench import checks
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.finite import choose, respond
from stackel_bench.planning.mixed.fixed_order import weighted_rows
from stackel_bench.tolerances import FLOAT_STEP, Ties, payoff_unit


class MixedValue(NamedTuple):
    """What the leader earns, the response that is played, and the set [B] that it is chosen from."""

    value: float
    response: int
    responses: np.ndarray


def mixed_leader_value(
    table: PayoffTable,
    strategy: ArrayLike,
    slack: float = 0.0,
    tie_breaking: str | TieBreaking = TieBreaking.PESSIMISTIC,
    *,
    ties: Ties | None = None,
) -> MixedValue:
    """phi_slack (pessimistic) or psi_slack (optimistic) of a strategy [A]; among equals the lowest index.

    What counts as a tie is `ties`, by default that of the table, as everywhere in planning and evaluation.
    """
    weights = checked_strategy("strategy", strategy, table.shape[0])
    slack = checks.real("slack", slack, least=0.0)
    rule = TieBreaking.parse(tie_breaking)
    ties = Ties.among(table.follower_means) if ties is None else ties
    leader = weighted_rows(weights, table.leader_means)
    members = _replies(table, weights[None], slack, ties)[0]
    response = int(choose(leader, members, rule))
    return MixedValue(float(leader[response]), response, members)


def mixed_leader_values(
    table: PayoffTable, strategies: np.ndarray, slack: float, tie_breaking: TieBreaking
) -> np.ndarray:
    """mixed_leader_value of many strategies [N,A] at once, [N]; they are taken to be distributions."""
    members = _replies(table, strategies, slack, Ties.among(table.follower_means))
    return respond(weighted_rows(strategies, table.leader_means), members, tie_breaking)[0]


def _replies(table: PayoffTable, strategies: np.ndarray, slack: float, ties: Ties) -> np.ndarray:
    """Which responses [N,B] are within reach of the best one.

    That is decided in exact arithmetic wherever rounding could matter: A products and sums on either side.
    """
    payoffs = weighted_rows(strategies, table.follower_means)
    gaps = np.maximum.reduce(payoffs, axis=1, keepdims=True) - payoffs
    reach = ties.reach(slack)
    members = gaps <= reach
    rounding = (table.shape[0] + 2) * FLOAT_STEP * payoff_unit(table.follower_means)
    doubtful = np.abs(gaps - reach) <= rounding
    for n in np.flatnonzero(doubtful.any(axis=1)) if doubtful.any() else ():
        near_best = np.flatnonzero(gaps[n] <= rounding)
        asked = np.flatnonzero(doubtful[n])
        if np.array_equal(near_best, asked) and len(asked) == 1:
            continue  # the only best response
        weights = {a: Fraction(float(strategies[n, a])) for a in np.flatnonzero(strategies[n])}
        exact = {
            b: sum(weight * Fraction(float(table.follower_means[a, b])) for a, weight in weights.items())
            for b in {*near_best, *asked}
        }
        best = max(exact[b] for b in near_best)
        for b in asked:
            members[n, b] = best - exact[b] <= Fraction(slack) + Fraction(ties.tolerance)
    return np.asarray(members)


def dyadic_strategy(strategy: ArrayLike, bits: int = 20) -> np.ndarray:
    """The strategy [A] rounded to multiples of 2**-bits that sum to exactly 1, each moved by < 2**-bits.

    Rounds down, then gives what is missing to the largest remainders (ties: lowest index).
    """
    bits = checks.integer("bits", bits, least=1, most=40)
    weights = checked_strategy("strategy", strategy, None)
    units = 2**bits
    scaled = weights / weights.sum() * units
    counts = np.floor(scaled).astype(np.int64)
    missing = units - int(counts.sum())
    counts[np.argsort(counts - scaled, kind="stable")[:missing]] += 1
    return np.asarray(counts / units)


def grid_margin(table: PayoffTable, bits: int = 20) -> float:
    """More than dyadic_strategy can change a difference of follower payoffs: (A + 1)/2 steps of their range.

    If m of A weights are rounded up, remainders sum to m and the weights move by at most 2m(A - m)/A <= A/2
    steps 2**-bits in sum, which is reached where all remainders are 1/2. Moves cancel, so a difference
    sum_a move_a (w_ab - w_ak) is at most half of that times the range of w_b - w_k, which is at most twice
    that of the payoffs. The extra half step is for rounding.
    """
    steps = (table.shape[0] + 1) / 2
    return float(steps * np.ptp(table.follower_means) / 2**bits)


def checked_strategy(field: str, strategy: ArrayLike, size: int | None) -> np.ndarray:
    """The strategy as a probability vector [A]."""
    weights = checks.array(field, strategy, shape=(size,))
    checks.distributions(field, weights)
    return weights
