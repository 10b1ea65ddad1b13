"""Random payoff tables, functions of sizes and `instance_seed`; every payoff is a multiple of 2**-20."""

import math

import numpy as np
from scipy.special import ndtr

from stackel_bench import checks, streams
from stackel_bench.games import dyadic
from stackel_bench.models import PayoffTable

MOST_PAIRS = 10**8  # 1.6 GB of means


def random_table(num_leader_actions: int, num_follower_actions: int, instance_seed: int) -> PayoffTable:
    """All payoffs independent and uniform on [0,1]."""
    shape = (2, *_shape(num_leader_actions, num_follower_actions))
    return PayoffTable(*dyadic.uniform(_stream("random", instance_seed, *shape[1:]), shape))


def correlated_table(
    num_leader_actions: int, num_follower_actions: int, correlation: float, instance_seed: int
) -> PayoffTable:
    """Payoffs uniform on [0,1]; the two of a pair have this correlation, pairs are independent.

    Gaussian copula: r1 = Phi(x), r2 = Phi(y) for standard normal x, y of correlation 2 sin(pi rho / 6), which
    makes the (Pearson and rank) correlation of r1 and r2 equal to rho. At rho = 1 the game is cooperative
    (r1 = r2), at rho = -1 zero-sum (r2 = 1 - r1), at 0 independent.
    """
    shape = _shape(num_leader_actions, num_follower_actions)
    rho = checks.real("correlation", correlation, least=-1, most=1)
    first, second = _stream("correlated", instance_seed, *shape).standard_normal((2, *shape))
    leader = dyadic.rounded(ndtr(first))
    if abs(rho) == 1:  # sin and sqrt would leave a trace of `second`
        return PayoffTable(leader, leader if rho == 1 else 1 - leader)
    normal_rho = 2 * math.sin(math.pi * rho / 6)
    mixed = normal_rho * first + math.sqrt(1 - normal_rho**2) * second
    return PayoffTable(leader, dyadic.rounded(ndtr(mixed)))


def zero_sum_table(num_leader_actions: int, num_follower_actions: int, instance_seed: int) -> PayoffTable:
    """Leader payoffs uniform, follower payoffs r2 = 1 - r1: gap_eps = 0 for every eps."""
    shape = _shape(num_leader_actions, num_follower_actions)
    leader = dyadic.uniform(_stream("zero_sum", instance_seed, *shape), shape)
    return PayoffTable(leader, 1 - leader)


def cooperative_table(num_leader_actions: int, num_follower_actions: int, instance_seed: int) -> PayoffTable:
    """The same uniform payoffs for both players: gap_eps <= eps for every eps."""
    shape = _shape(num_leader_actions, num_follower_actions)
    both = dyadic.uniform(_stream("cooperative", instance_seed, *shape), shape)
    return PayoffTable(both, both)


def _shape(num_leader_actions: int, num_follower_actions: int) -> tuple[int, int]:
    leaders = checks.integer("num_leader_actions", num_leader_actions, least=1, most=MOST_PAIRS)
    most = MOST_PAIRS // leaders
    return leaders, checks.integer("num_follower_actions", num_follower_actions, least=1, most=most)


def _stream(name: str, instance_seed: int, rows: int, columns: int) -> np.random.Generator:
    seed = checks.integer("instance_seed", instance_seed, least=0)
    return streams.generator("instance", f"table/{name}", seed, rows, columns)
