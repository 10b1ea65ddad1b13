"""Intervals that the replicates support: exact for probabilities, bootstrap for means."""

from __future__ import annotations

import numpy as np
from scipy.stats import beta

from stackel_bench import streams

CONFIDENCE = 0.95
_RESAMPLES = 2000
_RESAMPLED_AT_ONCE = 2**21  # 16 MB of indices, whatever the number of replicates


def binomial_interval(failures: int, trials: int) -> tuple[float, float]:
    """The exact (Clopper-Pearson) interval of a probability, also at 0 and at all failures."""
    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if failures == 0 else float(beta.ppf(tail, failures, trials - failures + 1))
    high = 1.0 if failures == trials else float(beta.ppf(1 - tail, failures + 1, trials - failures))
    return low, high


def mean_interval(values: np.ndarray) -> tuple[float, float]:
    """The percentile bootstrap interval of the mean; degenerate where all values agree.

    The resampling stream is keyed by the number of values only, so the interval is a function of the data.
    """
    if values.min() == values.max():
        return float(values[0]), float(values[0])
    rng = streams.generator("bootstrap", len(values))
    rows = max(1, _RESAMPLED_AT_ONCE // len(values))  # the stream does not see how it is cut
    means = np.concatenate(
        [
            values[rng.integers(len(values), size=(min(rows, _RESAMPLES - start), len(values)))].mean(axis=1)
            for start in range(0, _RESAMPLES, rows)
        ]
    )
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)
