"""The rows of the table of claims, from records alone: prediction, measurement, interval, verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from stackel_bench.claims.claim import GUARANTEE, IDENTITY, Claim, Measurement
from stackel_bench.claims.claims_plan import ClaimsPlan
from stackel_bench.claims.evidence import CellEvidence, Measured, NotMeasurableError
from stackel_bench.claims.power import NO_POWER, Power, power_of
from stackel_bench.claims.prediction import CONFIRMED, INCONCLUSIVE
from stackel_bench.results.entry import Entry

Row = dict[str, Any]


def judge_claims(
    planned: ClaimsPlan, entries: Mapping[str, Entry], read_records: Callable[[str], pd.DataFrame]
) -> list[Row]:
    """One row per measurement, in the order of the claims; unfinished cells make it inconclusive."""
    rows = []
    for claim in planned.claims:
        for measurement in claim.measurements:
            key = (claim.name, measurement.name)
            if not measurement.grids[planned.profile]:
                continue  # too dear for this profile
            ids, wrong_ids = planned.cell_ids.get(key, ()), planned.caught_ids.get(key, {})
            needed = dict.fromkeys((*ids, *(i for chosen in wrong_ids.values() for i in chosen)))
            finished = [i for i in needed if i in entries and entries[i].state == "finished"]
            power = NO_POWER
            if measurement.exact:
                measured = measurement.measure(planned.cases[key])
            elif len(finished) < len(needed):
                measured = _unknown(f"{len(needed) - len(finished)} of {len(needed)} cells did not finish")
            else:
                cells = {i: CellEvidence(entries[i], read_records) for i in needed}
                wrong = {name: [cells[i] for i in chosen] for name, chosen in wrong_ids.items()}
                measured = _measured(measurement, [cells[i] for i in ids])
                if measurement.role == GUARANTEE:
                    power = power_of(wrong, measurement.measure)
                    measured = power.judged(measured, [cells[i] for i in ids])
            rows.append(_row(claim, measurement, measured, power, ids, planned.profile))
    return rows


def _measured(measurement: Measurement, cells: list[CellEvidence]) -> Measured:
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
    cell_ids: tuple[str, ...],
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
        "cells": list(cell_ids),
    }


def _plain(value: float) -> float | None:
    """A number that JSON has."""
    return float(f"{value:.10g}") if math.isfinite(value) else None
