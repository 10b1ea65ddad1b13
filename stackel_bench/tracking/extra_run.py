"""Runs that are no cells: pairs of tie-breakings, and series along a number that was swept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence

from stackel_bench.tracking.run_record import Point, RunRecord

PAIR, SERIES = "pair", "series"


def extra_run(
    kind: str,
    shared: Mapping[str, str],
    name: str,
    tags: Mapping[str, str],
    points: Sequence[Point],
    stamp: float,
) -> RunRecord:
    """A run whose key is the digest of what it says, so that it is written once, and anew when that changes.

    shared: tags of all runs of the sweep, its id among them; stamp: when its cells had finished (seconds).
    """
    content = json.dumps([name, dict(tags), points], sort_keys=True)
    key = prefix(shared["stackel.sweep_id"]) + hashlib.sha256(content.encode()).hexdigest()[:16]
    moment = round(stamp * 1000)
    return RunRecord(kind, key, name, {**tags, **shared}, {}, points, {}, True, moment, moment)


def prefix(sweep_id: str) -> str:
    """How the keys of all such runs of a sweep begin."""
    return f"{sweep_id}-"
