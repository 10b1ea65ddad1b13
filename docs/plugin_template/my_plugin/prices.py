"""A game: prices that the leader sets and the follower answers."""

import numpy as np

import stackel_bench as sb
from stackel_bench.families.bandit.game import BanditGame


def make_game(rate: float = 0.5, size: int = 3) -> BanditGame:
    """Prices that the leader sets and the follower answers."""
    prices = np.linspace(0, 1, size)
    demand = 1 - np.outer(prices, prices)
    return BanditGame(sb.PayoffTable(rate * demand, 1 - demand))
