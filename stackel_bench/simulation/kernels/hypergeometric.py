"""Hypergeometric draws whose cost does not grow with the number of items."""

from __future__ import annotations

import math

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.simulation.kernels.binomial import log_binomial_mass


@kernel
def _large_hypergeometric(rng: np.random.Generator, good: float, bad: float, sample: float) -> float:
    """Ratio of uniforms (Stadlober 1989, HRUA) with log masses that do not cancel; sample <= total/2."""
    total = good + bad
    fewer = min(good, bad)
    p = fewer / total
    centre = sample * p + 0.5
    spread = math.sqrt((total - sample) / (total - 1.0) * sample * p * (1.0 - p) + 0.5)
    width = 1.7155277699214135 * spread + 0.8989161620588988
    most = min(min(sample, fewer) + 1.0, float(np.floor(centre + 16.0 * spread)))
    share = sample / total
    mode = float(np.floor((sample + 1.0) * ((fewer + 1.0) / (total + 2.0))))
    log_mode = log_binomial_mass(mode, fewer, share) + log_binomial_mass(sample - mode, total - fewer, share)
    while True:
        u = rng.random()
        if u == 0.0:
            continue
        x = centre + width * (rng.random() - 0.5) / u
        if x < 0.0 or x >= most:
            continue
        k = float(np.floor(x))
        log_ratio = (
            log_binomial_mass(k, fewer, share)
            + log_binomial_mass(sample - k, total - fewer, share)
            - log_mode
        )
        if u * (4.0 - u) - 3.0 <= log_ratio or (u * (u - log_ratio) < 1.0 and 2.0 * math.log(u) <= log_ratio):
            return k if good <= bad else sample - k


@kernel
def hypergeometric(rng: np.random.Generator, good: float, bad: float, sample: float) -> float:
    """How many of `sample` draws without replacement from good + bad <= 2**53 items are good, as a float."""
    total = good + bad
    if good == 0.0 or sample == 0.0:
        return 0.0
    if bad == 0.0:
        return sample
    fewer = min(sample, total - sample)
    if fewer < 10.0:
        k = 0.0
        for drawn in range(int(fewer)):
            if rng.random() * (total - drawn) < good - k:
                k += 1.0
    else:
        k = _large_hypergeometric(rng, good, bad, fewer)
    return k if sample == fewer else good - k
