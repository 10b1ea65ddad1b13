"""Follower MDPs of economies: taxes on the work of one citizen, on its consumption, on several citizens."""

import numpy as np

from stackel_bench import checks
from stackel_bench.families.bandit_rl.mdps.mdp_arrays import check_memory, stationary_mdp
from stackel_bench.games import dyadic
from stackel_bench.models import FollowerMDP


def taxation_mdps(
    num_leader_actions: int,
    num_follower_actions: int,
    num_states: int,
    horizon: int,
    progressivity: float,
    curvature: float,
    labour_cost: float,
    learning: float,
    forgetting: float,
    welfare_weight: float,
) -> tuple[FollowerMDP, ...]:
    """One MDP per tax schedule: states are skill levels, follower actions labour levels l on a grid of [0,1].

    Skill s = 0..S-1 earns the wage (s+1)/S, so income is y = l (s+1)/S. Schedule a of A takes
    T(y) = a/(A-1) y^(1+progressivity). The follower's reward is (u + c) / (1 + c) with
    u = (y - T(y))^curvature - c l^2 and c = labour_cost; the leader's is (1-w) T(y) + w * (follower's), that
    is revenue and welfare with w = welfare_weight. Skill rises by one with probability learning * l and falls
    by one with probability forgetting * (1 - l), where there is room. Episodes start at skill 0.
    """
    schedules = checks.integer("num_leader_actions", num_leader_actions, least=2)
    levels = checks.integer("num_follower_actions", num_follower_actions, least=2)
    states = checks.integer("num_states", num_states, least=1)
    steps = checks.integer("horizon", horizon, least=1)
    power = 1 + checks.real("progressivity", progressivity, least=0)
    exponent = checks.real("curvature", curvature, least=0, most=1, open_least=True)
    cost = checks.real("labour_cost", labour_cost, least=0, open_least=True)
    up = checks.real("learning", learning, least=0, most=1)
    down = checks.real("forgetting", forgetting, least=0, most=1)
    weight = checks.real("welfare_weight", welfare_weight, least=0, most=1)
    check_memory(schedules, steps, states, levels)
    labour = np.linspace(0, 1, levels)
    income = labour * (np.arange(1, states + 1) / states)[:, None]
    rows = _skill_changes(states, up * labour, down * (1 - labour))

    def mdp(rate: float) -> FollowerMDP:
        tax = rate * income**power
        utility = (income - tax) ** exponent - cost * labour**2
        follower = (utility + cost) / (1 + cost)
        leader = (1 - weight) * tax + weight * follower
        return stationary_mdp(rows, leader, follower, steps)

    return tuple(mdp(float(rate)) for rate in np.linspace(0, 1, schedules))


def _skill_changes(states: int, up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Transitions [S,B,S] of skill, given the probabilities [B] to rise and to fall."""
    rows = np.zeros((states, len(up), states))
    for skill in range(states):
        # += because rising and falling both mean staying where there is no room
        rows[skill, :, min(skill + 1, states - 1)] += up
        rows[skill, :, max(skill - 1, 0)] += down
        rows[skill, :, skill] += 1 - up - down
    return rows


def tax_design_mdps(
    num_rates: int,
    max_rate: float,
    num_hours: int,
    num_spending: int,
    num_states: int,
    horizon: int,
    labour_cost: float,
    welfare_weight: float,
) -> tuple[FollowerMDP, ...]:
    """One MDP per pair of an income tax x and a consumption tax y, each from a grid of [0, max_rate].

    States are assets k on a grid of [0, 1]; follower actions are pairs of hours h and a share q of its means
    to spend, each on a grid of [0, 1]. It has m = k + (1 - x) h, pays q m, of which c = q m/(1 + y) is
    consumption, and keeps m - q m, at most 1, rounded to a neighbouring state at random so that the mean is
    right. Utility u = sqrt(c/2) - labour_cost h^2; reward (u + labour_cost)/(1 + labour_cost). The leader
    gets (1 - w) (x h + y c)/(max_rate (1 + 2)) + w * (follower's), w = welfare_weight. Starts with no assets.
    After the dynamic taxation of Mirrlees and of Zheng et al. (The AI Economist, 2022), with one household.
    """
    rates = checks.integer("num_rates", num_rates, least=2)
    highest = checks.real("max_rate", max_rate, least=0, most=1, open_least=True)
    hours = np.linspace(0, 1, checks.integer("num_hours", num_hours, least=2))
    shares = np.linspace(0, 1, checks.integer("num_spending", num_spending, least=2))
    states = checks.integer("num_states", num_states, least=2)
    steps = checks.integer("horizon", horizon, least=1)
    cost = checks.real("labour_cost", labour_cost, least=0, open_least=True)
    weight = checks.real("welfare_weight", welfare_weight, least=0, most=1)
    work, spend = (grid.ravel() for grid in np.meshgrid(hours, shares, indexing="ij"))
    check_memory(rates**2, steps, states, len(work))
    assets = np.linspace(0, 1, states)[:, None]

    def mdp(income_tax: float, sales_tax: float) -> FollowerMDP:
        means = assets + (1 - income_tax) * work
        consumed = spend * means / (1 + sales_tax)
        follower = (np.sqrt(consumed / 2) - cost * work**2 + cost) / (1 + cost)
        revenue = (income_tax * work + sales_tax * consumed) / (3 * highest)
        leader = (1 - weight) * revenue + weight * follower
        kept = np.minimum(1, (1 - spend) * means)
        return stationary_mdp(_to_grid(kept, states), leader, follower, steps)

    grid = np.linspace(0, highest, rates)
    return tuple(mdp(float(x), float(y)) for x in grid for y in grid)


def citizens_mdps(
    num_leader_actions: int,
    num_follower_actions: int,
    num_citizens: int,
    num_states: int,
    max_rate: float,
    labour_cost: float,
    inequality_aversion: float,
) -> tuple[FollowerMDP, ...]:
    """One MDP per tax schedule: citizens of rising skill work in turn, then what was raised is shared out.

    Citizen i = 1..n has skill i/n and picks labour l on a grid of [0, 1]: income z = l i/n, tax
    T(z) = t z + (t/2) max(0, z - 1/2), with t on a grid of [0, max_rate]. States are the pot, the mean of the
    taxes so far on a grid of [0, 1] (rounded at random with the right mean). Citizen i's reward is
    (z - T(z) - labour_cost l^2 + labour_cost)/(1 + labour_cost); at the last step, H = n + 1, all get the
    pot. The leader weighs citizen i's reward by (1 - i/n)^g, g = inequality_aversion, and the pot fully. One
    follower stands for all citizens: they agree on the pot. A one-step economy like Zheng et al.'s (2022).
    """
    schedules = checks.integer("num_leader_actions", num_leader_actions, least=2)
    labour = np.linspace(0, 1, checks.integer("num_follower_actions", num_follower_actions, least=2))
    citizens = checks.integer("num_citizens", num_citizens, least=1)
    states = checks.integer("num_states", num_states, least=2)
    highest = checks.real("max_rate", max_rate, least=0, most=2 / 3)
    cost = checks.real("labour_cost", labour_cost, least=0, open_least=True)
    aversion = checks.real("inequality_aversion", inequality_aversion, least=0)
    check_memory(schedules, citizens + 1, states, len(labour))
    pot = np.linspace(0, 1, states)[:, None]
    skills = np.arange(1, citizens + 1) / citizens

    def mdp(rate: float) -> FollowerMDP:
        rows, leader, follower = [], [], []
        for skill in map(float, skills):
            income = labour * skill
            tax = rate * income + rate / 2 * np.maximum(0, income - 0.5)
            reward = (income - tax - cost * labour**2 + cost) / (1 + cost)
            rows.append(_to_grid(np.minimum(1, pot + tax / citizens), states))
            follower.append(np.broadcast_to(reward, (states, len(labour))))
            leader.append(follower[-1] * (1 - skill) ** aversion)
        rows.append(np.repeat(np.eye(states)[:, None, :], len(labour), axis=1))
        last = np.broadcast_to(pot, (states, len(labour)))
        return FollowerMDP(
            dyadic.rounded_rows(np.stack(rows)),
            dyadic.rounded(np.stack([*leader, last])),
            dyadic.rounded(np.stack([*follower, last])),
        )

    return tuple(mdp(float(rate)) for rate in np.linspace(0, highest, schedules))


def _to_grid(values: np.ndarray, states: int) -> np.ndarray:
    """Probabilities [..., S] of the two grid points of [0, 1] around each value, with that mean."""
    place = values * (states - 1)
    below = np.minimum(np.floor(place).astype(int), states - 2)
    share = (place - below)[..., None]
    eye = np.eye(states)
    return np.asarray((1 - share) * eye[below] + share * eye[below + 1])
