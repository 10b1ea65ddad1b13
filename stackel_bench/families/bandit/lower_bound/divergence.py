"""How much one reward tells two means apart: the divergence of Gaussian or Bernoulli rewards."""

import math

from stackel_bench.kernel import kernel
from stackel_bench.statistics.elementary import log

GAUSSIAN, BERNOULLI = 0, 1


@kernel
def divergence(law: int, mean: float, other: float) -> float:
    """d(mean, other): (mean - other)^2 / 2 for Gaussian rewards of variance 1, kl for Bernoulli ones.

    Infinite where Bernoulli rewards of the other mean could never look like those of the mean.
    """
    if law == GAUSSIAN:
        return 0.5 * (mean - other) * (mean - other)
    if mean == other:
        return 0.0
    if other < 0.0 or other > 1.0 or (other == 0.0 and mean > 0.0) or (other == 1.0 and mean < 1.0):
        return math.inf
    ones = mean * log(mean / other) if mean > 0.0 else 0.0
    zeros = (1.0 - mean) * log((1.0 - mean) / (1.0 - other)) if mean < 1.0 else 0.0
    return max(0.0, ones + zeros)


@kernel
def rise(law: int, mean: float, other: float) -> float:
    """The cost of a mean of at least `other`: nothing where it is that large already."""
    return 0.0 if mean >= other else divergence(law, mean, other)


@kernel
def fall(law: int, mean: float, other: float) -> float:
    """The cost of a mean of at most `other`."""
    return 0.0 if mean <= other else divergence(law, mean, other)
