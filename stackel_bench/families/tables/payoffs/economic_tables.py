"""Payoff tables from economics, by formula; every payoff is rounded to a multiple of 2**-20."""

import numpy as np

from stackel_bench import checks
from stackel_bench.games import dyadic
from stackel_bench.models import PayoffTable


def taxation_table(
    num_leader_actions: int,
    num_follower_actions: int,
    curvature: float,
    labour_cost: float,
    welfare_weight: float,
) -> PayoffTable:
    """A government picks a tax rate t, a citizen who sees it picks a labour level l, both on grids of [0,1].

    Income is l, consumption (1 - t) l. Utility u = ((1 - t) l)^curvature - labour_cost l^2 is concave in l.
    Follower: (u + labour_cost) / (1 + labour_cost), in [0,1]. Leader: (1 - w) t l + w * (follower's payoff),
    revenue and welfare with w = welfare_weight. Without grid the best response is
    l = min(1, (curvature (1 - t)^curvature / (2 labour_cost))^(1 / (2 - curvature))).
    """
    rates = checks.integer("num_leader_actions", num_leader_actions, least=2)
    levels = checks.integer("num_follower_actions", num_follower_actions, least=2)
    exponent = checks.real("curvature", curvature, least=0, most=1, open_least=True)
    cost = checks.real("labour_cost", labour_cost, least=0, open_least=True)
    weight = checks.real("welfare_weight", welfare_weight, least=0, most=1)
    tax, labour = np.linspace(0, 1, rates)[:, None], np.linspace(0, 1, levels)[None, :]
    utility = ((1 - tax) * labour) ** exponent - cost * labour**2
    follower = (utility + cost) / (1 + cost)
    leader = (1 - weight) * tax * labour + weight * follower
    return PayoffTable(dyadic.rounded(leader), dyadic.rounded(follower))


def bertrand_table(
    num_leader_actions: int, num_follower_actions: int, unit_cost: float, substitution: float
) -> PayoffTable:
    """Two firms set prices p on grids of [unit_cost, 1] for goods that replace each other.

    Firm i sells q_i = max(0, 1 - p_i + s (p_j - p_i)) with s = substitution and earns (p_i - c) q_i with
    c = unit_cost; payoffs are that divided by (1 + s) (1 - c)^2 / 4, the most a firm can earn. Without grid
    the best response to p is (1 + s p + c (1 + s)) / (2 (1 + s)), at most 1.
    """
    rows = checks.integer("num_leader_actions", num_leader_actions, least=2)
    columns = checks.integer("num_follower_actions", num_follower_actions, least=2)
    cost = checks.real("unit_cost", unit_cost, least=0, most=1, open_most=True)
    rivalry = checks.real("substitution", substitution, least=0)
    leader_price, follower_price = np.linspace(cost, 1, rows)[:, None], np.linspace(cost, 1, columns)[None, :]

    def profit(own: np.ndarray, other: np.ndarray) -> np.ndarray:
        sold = np.maximum(0, 1 - own + rivalry * (other - own))
        return np.asarray((own - cost) * sold * 4 / ((1 + rivalry) * (1 - cost) ** 2))

    return PayoffTable(
        dyadic.rounded(profit(leader_price, follower_price)),
        dyadic.rounded(profit(follower_price, leader_price)),
    )


def contracts_table(
    num_leader_actions: int, num_follower_actions: int, base: float, effort_cost: float
) -> PayoffTable:
    """A principal offers a share x of the outcome, an agent picks an effort e, both on grids of [0, 1].

    The outcome is 1 with probability p(e) = base + (1 - base) e, else 0. The agent's payoff is
    (x p(e) - c e^2 + c)/(1 + c) with c = effort_cost, the principal's (1 - x) p(e): a linear contract with
    hidden effort (Holmstrom, Milgrom 1987; learned from samples by Ho, Slivkins, Vaughan 2016 and Zhu et al.
    2022). Without grid the agent answers with e = min(1, x (1 - base)/(2 c)).
    """
    offers = checks.integer("num_leader_actions", num_leader_actions, least=2)
    levels = checks.integer("num_follower_actions", num_follower_actions, least=2)
    least = checks.real("base", base, least=0, most=1, open_most=True)
    cost = checks.real("effort_cost", effort_cost, least=0, open_least=True)
    share, effort = np.linspace(0, 1, offers)[:, None], np.linspace(0, 1, levels)[None, :]
    success = least + (1 - least) * effort
    follower = (share * success - cost * effort**2 + cost) / (1 + cost)
    return PayoffTable(dyadic.rounded((1 - share) * success), dyadic.rounded(follower))
