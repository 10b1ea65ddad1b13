"""Pulls of each pair that make every mean accurate enough, with explicit constants."""

import math

# The leading term of the total number of samples is AB / eps^2.
PAIR_EXPONENTS = {"epsilon": -2.0, "num_leader_actions": 1.0, "num_follower_actions": 1.0}


def pulls_for_error(error: float, num_pairs: int, delta: float, sub_gaussian_scale: float) -> int:
    """N so that all 2 * num_pairs means are within error with probability 1 - delta.

    Two-sided Hoeffding and a union bound: N = 2 sigma^2 ln(4 AB / delta) / error^2, sigma = 1/2 on [0,1].
    """
    return max(1, math.ceil(2 * sub_gaussian_scale**2 * math.log(4 * num_pairs / delta) / error**2))


def error_of_pulls(pulls: int, num_pairs: int, delta: float, sub_gaussian_scale: float) -> float:
    """t_N: the error that N pulls of each pair guarantee with probability 1 - delta."""
    return sub_gaussian_scale * math.sqrt(2 * math.log(4 * num_pairs / delta) / pulls)


def paper_pulls(epsilon: float, num_pairs: int, delta: float, sub_gaussian_scale: float = 0.5) -> int:
    """The theorem's N = ceil(32 ln(4AB/delta) / eps^2) for rewards in [0,1]: error eps/8 everywhere."""
    return pulls_for_error(epsilon / 8, num_pairs, delta, sub_gaussian_scale)


def lower_bound_pulls(epsilon: float, num_leader_actions: int, num_follower_actions: int) -> int:
    """Total samples below which some game defeats every learner: 3 A floor(B/3) / (864 eps^2)."""
    return math.floor(3 * num_leader_actions * (num_follower_actions // 3) / (864 * epsilon**2))
