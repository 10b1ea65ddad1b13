"""Reward sums of many pulls of the same arms: one draw per arm, exact in distribution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stackel_bench import checks


def reward_sums(
    means: np.ndarray, noise_kind: str, noise_scale: float, pulls: int, rng: np.random.Generator
) -> np.ndarray:
    """Sums of `pulls` independent rewards of each arm, same shape as means.

    Bernoulli: Binomial(pulls, mean). Gaussian: Normal(pulls * mean, scale * sqrt(pulls)). Both are the exact
    law of the sum. Counts stay below 2**53, where every one of them is an exact float64.
    """
    checks.integer("pulls", pulls, least=0, most=checks.MAX_EXACT_COUNT)
    if noise_kind == "bernoulli":
        return rng.binomial(pulls, means).astype(np.float64)
    if noise_kind == "gaussian":
        return pulls * means + noise_scale * np.sqrt(pulls) * rng.standard_normal(means.shape)
    return pulls * means


def nested_reward_sums(
    means: np.ndarray, noise_kind: str, noise_scale: float, ladder: Sequence[int], rng: np.random.Generator
) -> np.ndarray:
    """Running sums [rung, ...] after ladder[rung] pulls: increments are drawn once and added."""
    increments = np.diff([0, *ladder])
    draws = [reward_sums(means, noise_kind, noise_scale, int(n), rng) for n in increments]
    return np.cumsum(draws, axis=0)
