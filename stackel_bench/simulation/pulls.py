"""Reward sums of many pulls of the same arms: one draw per arm, exact in distribution."""

from collections.abc import Sequence

import numpy as np

from stackel_bench import checks


def nested_reward_sums(
    means: np.ndarray,
    noise_kind: str,
    noise_scale: float,
    ladder: Sequence[int],
    rng: np.random.Generator,
    replicates: int | None = None,
) -> np.ndarray:
    """Sums [rung, ...] of the first ladder[rung] rewards of each arm; replicates, if given, are a first axis.

    Increments are drawn once and added. Bernoulli: Binomial(n, mean). Gaussian: Normal(n * mean, scale *
    sqrt(n)). Both are the exact law of the sum of n rewards. Counts stay within 2**53, where every one of
    them is an exact float64. Replicates of one arm are drawn one after the other: numpy prepares a binomial
    once for equal parameters that follow each other.
    """
    for pulls in ladder:
        checks.integer("pulls", pulls, least=0, most=checks.MAX_EXACT_COUNT)
    totals = np.array([0, *ladder], dtype=np.int64)
    increments = totals[1:] - totals[:-1]
    counts = increments.reshape(-1, *[1] * (means.ndim + 1))
    shape = (len(increments), *means.shape, 1 if replicates is None else replicates)
    draws = _draws(means[..., None], noise_kind, noise_scale, counts, rng, shape)
    sums = np.moveaxis(np.cumsum(draws, axis=0), -1, 0)
    return sums[0] if replicates is None else sums


def reward_sums(
    means: np.ndarray, noise_kind: str, noise_scale: float, counts: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """The sum of counts[...] rewards of each arm; counts broadcast against the means."""
    shape = np.broadcast_shapes(means.shape, counts.shape)
    return _draws(means, noise_kind, noise_scale, counts, rng, shape)


def _draws(
    means: np.ndarray,
    noise_kind: str,
    noise_scale: float,
    counts: np.ndarray,
    rng: np.random.Generator,
    shape: tuple[int, ...],
) -> np.ndarray:
    if noise_kind == "bernoulli":
        return rng.binomial(counts, means, size=shape).astype(np.float64)
    if noise_kind == "gaussian":
        return np.asarray(counts * means + noise_scale * np.sqrt(counts) * rng.standard_normal(shape))
    return np.broadcast_to(counts * means, shape)
