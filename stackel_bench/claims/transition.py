"""How many samples a learner needs: where its failure rate along a ladder of budgets crosses a level."""

from __future__ import annotations

import numpy as np

from stackel_bench import streams
from stackel_bench.claims.evidence import CellEvidence, NotMeasurableError

RESAMPLES = 200


def failure_table(cell: CellEvidence, event: str) -> tuple[np.ndarray, np.ndarray]:
    """Total samples [rung] and failures [replicate, rung] of a cell with a ladder."""
    records = cell.records.sort_values(["rung", "replicate"], kind="stable")
    rungs = [group for _, group in records.groupby("rung", sort=True)]
    samples = np.array([float(group["samples"].mean()) for group in rungs])
    return samples, np.stack([cell.failures(event, records=group) for group in rungs], axis=1)


def crossing(samples: np.ndarray, rates: np.ndarray, level: float) -> np.ndarray:
    """ln of the samples [...] at which falling rates [..., rung] cross the level, by interpolation in ln n.

    Rates are first made non-increasing (running minimum). Where the first rung is below the level or the last
    one above it, the end of the ladder is all that is known: NaN.
    """
    falling = np.minimum.accumulate(rates, axis=-1)
    above = falling > level
    last = above.sum(axis=-1) - 1
    known = (last >= 0) & (last < rates.shape[-1] - 1)
    left = np.clip(last, 0, rates.shape[-1] - 2)
    high, low = (np.take_along_axis(falling, (left + k)[..., None], axis=-1)[..., 0] for k in (0, 1))
    logs = np.log(samples)
    weight = (high - level) / np.where(high > low, high - low, 1.0)
    return np.where(known, logs[left] + weight * (logs[left + 1] - logs[left]), np.nan)


def crossings(cell: CellEvidence, event: str, level: float) -> tuple[float, np.ndarray]:
    """ln of the samples needed, and the same for resampled replicates [RESAMPLES] (whole runs are drawn)."""
    samples, failed = failure_table(cell, event)
    found = float(crossing(samples, failed.mean(axis=0), level))
    if np.isnan(found):
        rates = failed.mean(axis=0)
        reason = f"the failure rate runs from {rates[0]:.3g} to {rates[-1]:.3g}, never across {level:g}"
        raise NotMeasurableError(f"{cell.entry.label}: {reason}")
    rng = streams.generator("transition", cell.entry.cell_id)
    weights = rng.multinomial(len(failed), np.full(len(failed), 1 / len(failed)), size=RESAMPLES)
    resampled = crossing(samples, weights @ failed / len(failed), level)
    return found, np.where(np.isnan(resampled), found, resampled)
