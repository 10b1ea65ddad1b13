"""Claims about true games: the measurement is a computation on them, or on samples drawn from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from stackel_bench.claims.case import Case
from stackel_bench.claims.cell_statistics import rate_interval
from stackel_bench.claims.evidence import Measured, closest
from stackel_bench.claims.prediction import Prediction, combined
from stackel_bench.claims.quantities import (
    draws,
    equilibria,
    functions_of,
    printed_programs,
    stackelberg,
    tails,
)
from stackel_bench.errors import InputError
from stackel_bench.planning.bounds import Bounds
from stackel_bench.tolerances import VALUE

QUANTITIES: Mapping[str, Callable[[Case], float | Bounds]] = functions_of(
    stackelberg, equilibria, printed_programs, tails
)
EVENTS = functions_of(draws)


def exact_value(
    cases: Sequence[Case], prediction: Prediction, false_alarm: float, *, quantity: str
) -> Measured:
    """The value in the case that is closest to contradicting the prediction, which may depend on its epsilon.

    low and high are the certified bounds of that value; rounding within 1e-9 is no contradiction.
    """
    found = [_value(quantity, case) for case in cases]
    wanted = [prediction.at(case.epsilon).widened(VALUE) for case in cases]
    pairs = list(zip(wanted, found, strict=True))
    worst = min(pairs, key=lambda pair: pair[0].room(pair[1].low, pair[1].high))[1]
    verdict = combined([one.verdict(bounds.low, bounds.high) for one, bounds in pairs])
    note = f"exact, {len(found)} cases; the worst for the claim is shown" if len(found) > 1 else "exact"
    return Measured((worst.low + worst.high) / 2, worst.low, worst.high, note, verdict)


def exact_share(
    cases: Sequence[Case], prediction: Prediction, false_alarm: float, *, quantity: str, above: float
) -> Measured:
    """The share of (random) games on which the quantity exceeds `above`, with its binomial interval."""
    count = sum(_value(quantity, case).low > above for case in cases)
    low, high = rate_interval(count, len(cases), false_alarm)
    return Measured(count / len(cases), low, high, f"exact on each of {len(cases)} random games")


def drawn_share(cases: Sequence[Case], prediction: Prediction, false_alarm: float, *, event: str) -> Measured:
    """How often an event befalls draws from the true games, in the case that is worst for the claim."""
    if event not in EVENTS:
        raise InputError("event", event, "one of " + ", ".join(EVENTS))
    found = [EVENTS[event](case) for case in cases]
    intervals = [rate_interval(int(one.sum()), len(one), false_alarm / len(cases)) for one in found]
    note = f"{len(found[0])} draws" + (f" in each of {len(cases)} cases" if len(cases) > 1 else "")
    return closest([float(one.mean()) for one in found], intervals, [prediction] * len(found), note)


def _value(quantity: str, case: Case) -> Bounds:
    if quantity not in QUANTITIES:
        raise InputError("quantity", quantity, "one of " + ", ".join(QUANTITIES))
    value = QUANTITIES[quantity](case)
    return value if isinstance(value, Bounds) else Bounds.exactly(value)
