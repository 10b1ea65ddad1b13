"""Reward sums of many pulls of the same arms: one draw per arm, exact in distribution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stackel_bench import checks


def nested_reward_sums(
    means: np.ndarray, noise_kind: str, noise_scale: float, ladder: Sequence[int], rng: np.random.Generator
) -> np.ndarray:
    """Sums [rung, ...] of the first ladder[rung] rewards of each arm: increments are drawn once and added.

    Bernoulli: Binomial(n, mean). Gaussian: Normal(n * mean, scale * sqrt(n)). Both are the exact law of the
    sum of n rewards. Counts stay within 2**53, where every one of them is an exact float64.
    """
    for pulls in ladder:
        checks.integer("pulls", pulls, least=0, most=checks.MAX_EXACT_COUNT)
    totals = np.array([0, *ladder], dtype=np.int64)
    increments = totals[1:] - totals[:-1]
    counts = increments.reshape(-1, *[1] * means.ndim)
    if noise_kind == "bernoulli":
        draws = rng.binomial(counts, means).astype(np.float64)
    elif noise_kind == "gaussian":
        normal = rng.standard_normal((len(increments), *means.shape))
        draws = counts * means + noise_scale * np.sqrt(counts) * normal
    else:
        draws = counts * means
    return np.cumsum(draws, axis=0)
