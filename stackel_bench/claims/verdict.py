"""The rows of the table of claims, from records alone: prediction, measurement, interval, verdict, power.

The power of a guarantee is what it would have caught: wrong learners that break it on the same games.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from stackel_bench.claims.claim import GUARANTEE, IDENTITY, Claim, Measurement
from stackel_bench.claims.claims_plan import ClaimsPlan, Subjects
from stackel_bench.claims.evidence import CellEvidence, Measured, NotMeasurableError, distinct_game_names
from stackel_bench.claims.prediction import CONFIRMED, INCONCLUSIVE, REFUTED
from stackel_bench.results.entry import Entry

Row = dict[str, Any]


@dataclass(frozen=True)
class Power:
    """Which wrong learners were caught, and on which of the guarantee's cells [cell] some of them was."""

    caught: tuple[str, ...]
    missed: tuple[str, ...]
    covered: tuple[bool, ...]

    def judged(self, measured: Measured, names: Sequence[str]) -> Measured:
        """The measurement, which confirms nothing if some cell has no wrong learner that fails there."""
        if all(self.covered) or measured.verdict == REFUTED:
            return measured
        tame = [name for name, ok in zip(names, self.covered, strict=True) if not ok]
        note = f"{measured.note}; nothing tried fails on {', '.join(tame)}"
        return replace(measured, note=note, verdict=INCONCLUSIVE)


NO_POWER = Power((), (), ())


def power_of(wrong: Mapping[str, Sequence[Any]], judge: Callable[[Sequence[Any]], Measured]) -> Power:
    """Judge every wrong learner like the guarantee itself, cell by cell; caught is what is refuted.

    Each cell has the whole false-alarm rate of the row: a wrong learner that is right in truth is taken for
    one that fails with that probability.
    """
    found = {name: [judge([cell]) for cell in cells] for name, cells in wrong.items()}
    caught, missed = [], []
    for name, results in found.items():
        failing = [result for result in results if result.verdict == REFUTED]
        if failing:
            rates = sorted(result.value for result in failing)
            span = f"{rates[0]:.2g}" + (f" to {rates[-1]:.2g}" if rates[-1] > rates[0] else "")
            caught.append(f"{name}: fails at rate {span} in {len(failing)} of {len(results)} cells")
        else:
            highest = max(result.value for result in results)
            missed.append(f"{name} (rate at most {highest:.2g})")
    covered = [any(r.verdict == REFUTED for r in column) for column in zip(*found.values(), strict=True)]
    return Power(tuple(caught), tuple(missed), tuple(covered))


def judge_claims(
    planned: ClaimsPlan, entries: Mapping[str, Entry], read_records: Callable[[str], pd.DataFrame]
) -> list[Row]:
    """One row per measurement, in the order of the claims; unfinished cells make it inconclusive."""
    rows = []
    for claim in planned.claims:
        for measurement in claim.measurements:
            subjects = planned.subjects.get((claim.name, measurement.name))
            if subjects is None:
                continue  # too dear for this profile
            found = {subject: subject for subject in subjects.all}
            if not measurement.exact:
                done = [i for i in subjects.all if i in entries and entries[i].state == "finished"]
                found = {i: CellEvidence(entries[i], read_records) for i in done}
            if len(found) < len(subjects.all):
                missing = len(subjects.all) - len(found)
                measured, power = _unknown(f"{missing} of {len(subjects.all)} cells did not finish"), NO_POWER
            else:
                measured, power = _judged(measurement, subjects, found)
            rows.append(_row(claim, measurement, measured, power, subjects.own, planned.profile))
    return rows


def _judged(measurement: Measurement, subjects: Subjects, found: Mapping[Any, Any]) -> tuple[Measured, Power]:
    """The measurement, and for a guarantee what it would have caught."""
    own = [found[subject] for subject in subjects.own]
    measured = _measured(measurement, own)
    if measurement.role != GUARANTEE:
        return measured, NO_POWER
    wrong = {name: [found[subject] for subject in chosen] for name, chosen in subjects.wrong.items()}
    power = power_of(wrong, measurement.measure)
    return power.judged(measured, distinct_game_names([evidence.config for evidence in own])), power


def _measured(measurement: Measurement, cells: list[Any]) -> Measured:
    try:
        return measurement.measure(cells)
    except NotMeasurableError as reason:
        return _unknown(str(reason))


def _unknown(reason: str) -> Measured:
    return Measured(math.nan, math.nan, math.nan, reason, INCONCLUSIVE)


def _row(
    claim: Claim,
    measurement: Measurement,
    measured: Measured,
    power: Power,
    subjects: tuple[Any, ...],
    profile: str,
) -> Row:
    verdict = measured.verdict or measurement.prediction.verdict(measured.low, measured.high)
    as_expected = verdict == measurement.expected
    if measurement.role == IDENTITY and verdict == CONFIRMED:
        verdict = IDENTITY  # a computation that agrees: nothing was measured
    return {
        "claim": claim.name,
        "measurement": measurement.name,
        "kind": claim.kind,
        "role": measurement.role,
        "source": claim.source,
        "statement": claim.statement,
        "asks": measurement.asks,
        "statistic": measurement.statistic,
        "prediction": measurement.prediction.text(),
        "measured": _plain(measured.value),
        "low": _plain(measured.low),
        "high": _plain(measured.high),
        "power": list(power.caught),
        "not_caught": list(power.missed),
        "verdict": verdict,
        "expected": measurement.expected,
        "as_expected": as_expected,
        "false_alarm": 0.0 if measurement.statistic == "exact_value" else measurement.false_alarm,
        "note": measured.note,
        "profile": profile,
        "cells": [] if measurement.exact else list(subjects),
    }


def _plain(value: float) -> float | None:
    """A number that JSON has."""
    return float(f"{value:.10g}") if math.isfinite(value) else None
