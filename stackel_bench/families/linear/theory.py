"""Queries that make every pair's mean accurate enough in linear bandit games, with explicit constants."""

import math


def accurate_queries(
    epsilon: float, rank: int, estimates: int, delta: float, sub_gaussian_scale: float
) -> int:
    """ceil(256 sigma^2 d ln(4n/delta) / eps^2): error eps/8 everywhere; sigma is 1/2 for rewards in [0,1].

    As queries N at each of n = K core points: each mean is within sigma sqrt(2 ln(4K/delta)/N), and least
    squares with leverage at most 2d multiplies that by at most sqrt(2d). As queries m in all, spent in
    proportion to the design: the variance in the direction of any pair is at most 2d/m, and a union bound
    covers the 2n directions of n = AB pairs.
    """
    logs = math.log(4 * estimates / delta)
    return max(1, math.ceil(256 * sub_gaussian_scale**2 * rank * logs / epsilon**2))
