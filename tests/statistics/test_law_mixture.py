"""The mixture over laws: against log-gamma functions, the binary case, a known threshold, and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from stackel_bench.statistics.likelihood_mixture import law_price, law_radii, price


def _reference(counts: np.ndarray) -> float:
    """sum c ln(c/n) minus the log of the Dirichlet-multinomial probability of one sequence."""
    n, size = counts.sum(), len(counts)
    mixture = special.gammaln(size / 2) - special.gammaln(n + size / 2)
    mixture += (special.gammaln(counts + 0.5) - special.gammaln(0.5)).sum()
    return float(special.xlogy(counts, counts / n).sum() - mixture)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 12])
def test_the_price_is_that_of_the_mixture_and_below_the_known_threshold(size: int) -> None:
    rng = np.random.default_rng(size)
    for power in range(7):
        n = 10**power
        for counts in (rng.multinomial(n, rng.dirichlet(np.full(size, 0.3))), n * np.eye(size, dtype=int)[0]):
            found = law_price(counts)
            assert found == pytest.approx(_reference(counts), abs=1e-7 + 1e-15 * n * math.log(n + 1))
            assert found >= 0
            if size == 2:
                assert found == pytest.approx(price(float(counts[0]), float(n)), rel=1e-13)
            if size > 1:
                assert found < (size - 1) * math.log(math.e * (1 + n / (size - 1)))


def test_the_true_law_stays_inside_at_all_times() -> None:
    """2000 walks of 400 steps at a = 1/4: a sound bound is blamed with probability below 1e-6."""
    rng, level, walks = np.random.default_rng(0), math.log(4.0), 2000
    left = 0
    for law in (np.array([0.2, 0.3, 0.5]), np.array([0.02, 0.0, 0.98])):
        steps = rng.choice(3, p=law, size=(walks // 2, 400))
        counts = np.eye(3, dtype=np.int64)[steps].cumsum(axis=1)
        radii = law_radii(counts[:, :, None], level)[..., 0]
        shares = counts / counts.sum(axis=2, keepdims=True)
        used = special.rel_entr(shares, law).sum(axis=2)
        left += int((used > radii).any(axis=1).sum())
    assert stats.binom.sf(left - 1, walks, 0.25) > 1e-6
    assert left > 0.02 * walks  # and it is no looser than it must be
