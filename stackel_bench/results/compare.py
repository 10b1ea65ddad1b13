"""Where two tables or two sets of numbers differ: bit by bit, or by more than a tolerance."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from stackel_bench.results.storage.table import digest, to_table


def table_difference(kept: pd.DataFrame, found: pd.DataFrame, tolerance: float) -> str:
    """What differs between two tables, in words; empty if nothing does. Tolerance 0: every bit counts."""
    if list(kept.columns) != list(found.columns):
        return f"columns {', '.join(kept.columns)} instead of {', '.join(found.columns)}"
    if len(kept) != len(found):
        return f"{len(kept)} rows instead of {len(found)}"
    names = [name for name in kept.columns if not _is_equal(kept[[name]], found[[name]], tolerance)]
    return f"columns {', '.join(names)}" if names else ""


def _is_equal(kept: pd.DataFrame, found: pd.DataFrame, tolerance: float) -> bool:
    if digest(to_table(kept)[0]) == digest(to_table(found)[0]):
        return True
    if not tolerance:
        return False
    try:
        first, second = kept.to_numpy(dtype=float), found.to_numpy(dtype=float)
    except (TypeError, ValueError):
        return False
    return np.allclose(first, second, rtol=tolerance, atol=tolerance, equal_nan=True)


def metrics_difference(
    kept: Mapping[str, float], found: Mapping[str, float], tolerance: float
) -> dict[str, tuple[float | None, float]]:
    """The metrics among those found that were kept otherwise, or not at all: (kept, found)."""
    return {
        name: (kept.get(name), value)
        for name, value in found.items()
        if name not in kept or not math.isclose(kept[name], value, rel_tol=tolerance, abs_tol=tolerance)
    }
