"""Confidence on a law over S outcomes that holds at every time: the mixture of likelihood ratios.

Outcomes with counts c, n in total. The Dirichlet(1/2, ..., 1/2) mixture over laws q of prod (q/p)^c is a
nonnegative martingale at the true law p with mean 1, so by Ville's inequality it ever exceeds 1/a with
probability a at most. In terms of the empirical law: n KL(c/n, p) <= ln(1/a) + price for all n together,

    price = ln G(n + S/2) - ln G(S/2) - S ln(2)/2 - (n ln n - n) - sum over outcomes of r(c),

r the remainder of Stirling's formula in likelihood_mixture, which is the case S = 2. The price grows as
(S-1)/2 ln n: half of (S-1) ln(e (1 + n/(S-1))), the threshold of Kaufmann et al. (2021), and always below.
"""

import math

import numpy as np

from stackel_bench.kernel import kernel
from stackel_bench.statistics.elementary import log
from stackel_bench.statistics.likelihood_mixture import half_remainder, remainder


@kernel
def law_price(counts: np.ndarray) -> float:
    """How far the mixture stays behind the best of its likelihood ratios; counts [S] are not all 0."""
    outcomes, n, found = counts.size, 0.0, 0.0
    for k in range(outcomes):
        count = float(counts[k])
        n += count
        found -= half_remainder(count)
    # ln G(n + S/2) from ln G(n + 1) or ln G(n + 1/2), whose remainders nothing cancels; the same of G(S/2).
    if outcomes % 2 == 0:
        found += remainder(n) + 0.5 * log(0.5 * math.pi * n)
        shift = 1.0
    else:
        found += half_remainder(n)
        shift = 0.5
    while shift < 0.5 * outcomes:
        found += log((n + shift) / (2.0 * shift))
        shift += 1.0
    return found


@kernel
def law_radii(counts: np.ndarray, level: float) -> np.ndarray:
    """KL(counts/n, p) is at most this [H,S,B], for counts [H,S,B,S] and ln(1/a) = level; inf where n = 0."""
    horizon, states, actions, _ = counts.shape
    radii = np.full((horizon, states, actions), np.inf)
    for h in range(horizon):
        for s in range(states):
            for b in range(actions):
                n = counts[h, s, b].sum()
                if n > 0:
                    radii[h, s, b] = (level + law_price(counts[h, s, b])) / n
    return radii
