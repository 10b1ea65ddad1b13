"""The distribution of samples used by a learner that stops by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from stackel_bench.errors import InputError


@dataclass(frozen=True)
class SamplesUsed:
    """Mean, median and 90 % quantile of the samples used; no ladder, so nothing is said of samples needed."""

    mean: float
    median: float
    q90: float


def samples_used(samples: ArrayLike) -> SamplesUsed:
    """The summary of the samples [replicates] that the runs used."""
    used = np.asarray(samples, dtype=float)
    if used.ndim != 1 or len(used) == 0 or not np.isfinite(used).all():
        raise InputError("samples", used.shape, "one finite number per replicate")
    median, q90 = np.quantile(used, [0.5, 0.9])
    return SamplesUsed(math.fsum(used) / len(used), float(median), float(q90))
