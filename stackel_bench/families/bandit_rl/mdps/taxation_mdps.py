"""Follower MDPs of taxation over time: the leader sets a tax schedule, the follower works and gains skill."""

import numpy as np

from stackel_bench import checks
from stackel_bench.families.bandit_rl.mdps.mdp_arrays import check_memory, stationary_mdp
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
