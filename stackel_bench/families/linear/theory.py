"""Queries that make every pair's mean accurate enough in linear bandit games, with explicit constants."""

import math


def core_point_queries(
    epsilon: float, rank: int, num_points: int, delta: float, sub_gaussian_scale: float
) -> int:
    """Queries at each of K core points: N = ceil(256 sigma^2 d ln(4K/delta) / eps^2), error eps/8 everywhere.

    Each mean is within sigma sqrt(2 ln(4K/delta)/N), and least squares with leverage at most 2d multiplies
    that by at most sqrt(2d). 256 for 1-sub-Gaussian noise, 64 for rewards in [0,1].
    """
    logs = math.log(4 * num_points / delta)
    return max(1, math.ceil(256 * sub_gaussian_scale**2 * rank * logs / epsilon**2))


def design_queries(epsilon: float, rank: int, num_pairs: int, delta: float, sub_gaussian_scale: float) -> int:
    """Queries in all when spent in proportion to the design: m = ceil(256 sigma^2 d ln(4AB/delta) / eps^2).

    The variance in the direction of any pair is at most 2d/m, and a union bound covers the 2 AB directions.
    """
    logs = math.log(4 * num_pairs / delta)
    return max(1, math.ceil(256 * sub_gaussian_scale**2 * rank * logs / epsilon**2))
