"""The rows of the table of claims, from records alone: prediction, measurement, interval, verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from stackel_bench.claims.claim import Claim, Measurement
from stackel_bench.claims.claims_plan import ClaimsPlan
from stackel_bench.claims.evidence import CellEvidence, Measured, NotMeasurableError
from stackel_bench.claims.prediction import INCONCLUSIVE
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
            ids = planned.cell_ids.get(key, ())
            finished = [i for i in ids if i in entries and entries[i].state == "finished"]
            if measurement.exact:
                measured = measurement.measure(planned.cases[key])
            elif len(finished) < len(ids):
                missing = f"{len(ids) - len(finished)} of {len(ids)} cells did not finish"
                measured = _unknown(missing)
            else:
                measured = _measured(measurement, [CellEvidence(entries[i], read_records) for i in ids])
            rows.append(_row(claim, measurement, measured, ids, planned.profile))
    return rows


def _measured(measurement: Measurement, cells: list[CellEvidence]) -> Measured:
    try:
        return measurement.measure(cells)
    except NotMeasurableError as reason:
        return _unknown(str(reason))


def _unknown(reason: str) -> Measured:
    return Measured(math.nan, math.nan, math.nan, reason, INCONCLUSIVE)


def _row(
    claim: Claim, measurement: Measurement, measured: Measured, cell_ids: tuple[str, ...], profile: str
) -> Row:
    verdict = measured.verdict or measurement.prediction.verdict(measured.low, measured.high)
    return {
        "claim": claim.name,
        "measurement": measurement.name,
        "kind": claim.kind,
        "source": claim.source,
        "statement": claim.statement,
        "asks": measurement.asks,
        "statistic": measurement.statistic,
        "prediction": measurement.prediction.text(),
        "measured": _plain(measured.value),
        "low": _plain(measured.low),
        "high": _plain(measured.high),
        "verdict": verdict,
        "expected": measurement.expected,
        "as_expected": verdict == measurement.expected,
        "false_alarm": 0.0 if measurement.statistic == "exact_value" else measurement.false_alarm,
        "note": measured.note,
        "profile": profile,
        "cells": list(cell_ids),
    }


def _plain(value: float) -> float | None:
    """A number that JSON has."""
    return float(f"{value:.10g}") if math.isfinite(value) else None
