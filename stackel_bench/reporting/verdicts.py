"""Whether the replicates support that a cell fails with probability at most delta."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import binom

SIGNIFICANCE = 0.05
HOLDS, OPEN, FAILS = "holds", "open", "fails"


def verdict(failures: int, trials: int, delta: float) -> str:
    """holds, fails, or open where the replicates support neither; exact one-sided tests at 5 %.

    A clean record supports delta = 5 % from 59 replicates on: 0.95**59 <= 0.05 < 0.95**58.
    """
    if binom.cdf(failures, trials, delta) <= SIGNIFICANCE:
        return HOLDS
    return FAILS if binom.sf(failures - 1, trials, delta) <= SIGNIFICANCE else OPEN


def clean_replicates_needed(delta: float) -> int:
    """How many replicates without a failure support that the failure probability is at most delta."""
    return int(np.ceil(np.log(SIGNIFICANCE) / np.log1p(-delta)))


def judged(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells with columns failures, verdict, and verdict_adjusted for all cells judged together (Holm)."""
    trials = cells["replicates"].round().astype(int)
    failures = (cells["failure_probability"] * trials).round().astype(int)
    p_holds = binom.cdf(failures, trials, cells["delta"])
    p_fails = binom.sf(failures - 1, trials, cells["delta"])
    raw = np.where(p_holds <= SIGNIFICANCE, HOLDS, np.where(p_fails <= SIGNIFICANCE, FAILS, OPEN))
    strict_holds, strict_fails = np.split(holm(np.concatenate([p_holds, p_fails])), 2)
    strict = np.where(
        strict_holds <= SIGNIFICANCE, HOLDS, np.where(strict_fails <= SIGNIFICANCE, FAILS, OPEN)
    )
    return cells.assign(failures=failures, verdict=raw, verdict_adjusted=strict)


def holm(p_values: np.ndarray) -> np.ndarray:
    """Holm's adjusted p-values: at most 5 % chance of any false claim among all of them."""
    p_values = np.asarray(p_values, dtype=float)
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted
