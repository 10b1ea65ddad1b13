"""What a given mixed leader strategy earns when the follower replies within slack of its best."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.models import PayoffTable, TieBreaking
from stackel_bench.planning.fixed_order import weighted_rows

SUM_TOLERANCE = 1e-9
NEAR_TIE = 1e-9  # replies this close to the edge of the response set are flagged
ROUNDING = 1e-12  # float gaps this close to the edge, in units of the largest payoff, are compared exactly


@dataclass(frozen=True, eq=False)
class MixedValue:
    """Leader value and chosen response; both players' payoffs [B] and the response set [B] behind them.

    near_tie says that the response set would change if gaps up to 1e-9 above slack were admitted.
    """

    value: float
    response: int
    leader_values: np.ndarray
    follower_values: np.ndarray
    responses: np.ndarray
    near_tie: bool


def mixed_leader_value(
    table: PayoffTable,
    strategy: ArrayLike,
    slack: float = 0.0,
    tie_breaking: str | TieBreaking = TieBreaking.PESSIMISTIC,
    *,
    tolerance: float = 0.0,
) -> MixedValue:
    """phi_slack (pessimistic) or psi_slack (optimistic) of a strategy [A]; among equals the lowest index.

    "gap <= slack + tolerance" is decided in exact arithmetic wherever rounding could matter. So on a dyadic
    table a strategy from dyadic_strategy gets exactly its ties; for other tables allow a tolerance.
    """
    weights = checked_strategy("strategy", strategy, table.shape[0])
    slack = checks.real("slack", slack, least=0.0)
    reach = slack + checks.real("tolerance", tolerance, least=0.0)
    rule = TieBreaking.parse(tie_breaking)
    follower_values = weighted_rows(weights, table.follower_means)
    leader_values = weighted_rows(weights, table.leader_means)
    gaps = follower_values.max() - follower_values
    responses = gaps <= reach
    margin = ROUNDING * float(np.abs(table.follower_means).max())
    doubtful = np.abs(gaps - reach) <= margin
    if doubtful.any():
        exact_reach = Fraction(slack) + Fraction(float(tolerance))
        near_best = np.flatnonzero(gaps <= margin)
        best = max(_exact_payoff(weights, table.follower_means[:, b]) for b in near_best)
        for b in np.flatnonzero(doubtful):
            responses[b] = best - _exact_payoff(weights, table.follower_means[:, b]) <= exact_reach
    candidates = np.flatnonzero(responses)
    choose = np.argmin if rule is TieBreaking.PESSIMISTIC else np.argmax
    response = int(candidates[choose(leader_values[candidates])])
    near_tie = bool((responses != (gaps <= reach + NEAR_TIE)).any())
    for array in (leader_values, follower_values, responses):
        array.setflags(write=False)
    value = float(leader_values[response])
    return MixedValue(value, response, leader_values, follower_values, responses, near_tie)


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
    return counts / units


def checked_strategy(field: str, strategy: ArrayLike, size: int | None) -> np.ndarray:
    """The strategy as a probability vector [A]."""
    weights = checks.array(field, strategy, shape=(size,))
    checks.reject_first(field, weights, weights < 0, "probabilities >= 0")
    total = float(weights.sum())
    if abs(total - 1) > SUM_TOLERANCE:
        raise InputError(f"sum of {field}", total, f"1 within {SUM_TOLERANCE:g}")
    return weights


def _exact_payoff(weights: np.ndarray, payoffs: np.ndarray) -> Fraction:
    pairs = zip(weights, payoffs, strict=True)
    return sum((Fraction(float(w)) * Fraction(float(p)) for w, p in pairs if w), Fraction(0))
