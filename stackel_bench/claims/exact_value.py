"""Claims about true games: the measurement is a computation on them, without samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stackel_bench.claims.case import Case
from stackel_bench.claims.evidence import Measured
from stackel_bench.claims.failure_rate import rate_interval
from stackel_bench.claims.prediction import Prediction, combined
from stackel_bench.claims.quantities import draws, equilibria, printed_programs, stackelberg, tails
from stackel_bench.errors import InputError
from stackel_bench.planning.bounds import Bounds
from stackel_bench.tolerances import VALUE

Quantity = Callable[[Case], float | Bounds]

QUANTITIES: Mapping[str, Quantity] = {
    **stackelberg.QUANTITIES,
    **equilibria.QUANTITIES,
    **printed_programs.QUANTITIES,
    **tails.QUANTITIES,
}


@dataclass(frozen=True)
class _Found:
    value: float
    bounds: Bounds
    wanted: Prediction


def exact_value(
    cases: Sequence[Case], prediction: Prediction, false_alarm: float, *, quantity: str
) -> Measured:
    """The value in the case that is closest to contradicting the prediction, which may depend on its epsilon.

    low and high are the certified bounds of that value; rounding within 1e-9 is no contradiction.
    """
    found = [_evaluate(case, quantity, prediction) for case in cases]
    worst = min(found, key=lambda f: f.wanted.room(f.bounds.low, f.bounds.high))
    verdict = combined([f.wanted.verdict(f.bounds.low, f.bounds.high) for f in found])
    note = f"exact, {len(found)} cases; the one closest to the limits is shown" if len(found) > 1 else "exact"
    return Measured(worst.value, worst.bounds.low, worst.bounds.high, note, verdict)


def exact_share(
    cases: Sequence[Case], prediction: Prediction, false_alarm: float, *, quantity: str, above: float
) -> Measured:
    """The share of (random) games on which the quantity exceeds `above`, with its binomial interval."""
    values = [_as_bounds(_quantity(quantity)(case)).low for case in cases]
    count = sum(value > above for value in values)
    low, high = rate_interval(count, len(values), false_alarm)
    return Measured(count / len(values), low, high, f"exact on each of {len(values)} random games")


def drawn_share(cases: Sequence[Case], prediction: Prediction, false_alarm: float, *, event: str) -> Measured:
    """How often an event befalls draws from the true games, in the case closest to the limits."""
    found = [_drawn(event)(case) for case in cases]
    intervals = [rate_interval(int(one.sum()), len(one), false_alarm / len(cases)) for one in found]
    rooms = [prediction.room(*interval) for interval in intervals]
    worst = rooms.index(min(rooms))
    verdict = combined([prediction.verdict(*interval) for interval in intervals])
    note = f"{len(cases)} cases, {len(found[0])} draws each; the one closest to the limits is shown"
    return Measured(float(found[worst].mean()), *intervals[worst], note, verdict)


def _drawn(event: str) -> Callable[[Case], np.ndarray]:
    if event not in draws.EVENTS:
        raise InputError("event", event, "one of " + ", ".join(draws.EVENTS))
    return draws.EVENTS[event]


def _evaluate(case: Case, quantity: str, prediction: Prediction) -> _Found:
    bounds = _as_bounds(_quantity(quantity)(case))
    wanted = prediction.at(case.epsilon)
    loose = Prediction(wanted.low - VALUE, wanted.high + VALUE)
    return _Found((bounds.low + bounds.high) / 2, bounds, loose)


def _as_bounds(value: float | Bounds) -> Bounds:
    return value if isinstance(value, Bounds) else Bounds.exactly(value)


def _quantity(name: str) -> Quantity:
    if name not in QUANTITIES:
        raise InputError("quantity", name, "one of " + ", ".join(QUANTITIES))
    return QUANTITIES[name]
