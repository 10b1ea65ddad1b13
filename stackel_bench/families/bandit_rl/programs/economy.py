"""The paper's example as a program: a government taxes several citizens, who work, consume and save."""

import functools
import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from stackel_bench import checks
from stackel_bench.families.bandit_rl.programs.game import EnvGame


@dataclass(frozen=True)
class Discrete:
    """The space {0, ..., n-1}, as Gymnasium has it."""

    n: int


@dataclass(frozen=True)
class Economy:
    """What both the government and the citizens cannot change."""

    num_citizens: int
    num_schedules: int
    num_labour_levels: int
    inequality: float  # standard deviation of the logarithm of productivity
    progressivity: float
    welfare_weight: float
    step_seconds: float  # that a step lasts at least


class EconomyEnv:
    """One tax schedule: schedule a of A takes T(y) = a/(A-1) y^(1+progressivity), y in [0,1], of an income y.

    A step is a year. All citizens work at the level l that the follower, their union, has chosen; citizen i
    earns l z_i/(1+z_i), with productivities z_i drawn anew each year, and pays taxes; what is collected is
    shared equally. Half of what a citizen has then is consumed (at most 1), the rest is wealth. The
    follower's reward is the mean over citizens of sqrt(consumption) less l^2/4, moved to [0,1]; the leader's
    is the mean tax, weighted against the consumption of the poorest. The observation is the mean wealth.
    """

    def __init__(self, economy: Economy, leader_action: int) -> None:
        self._economy = economy
        self._rate = leader_action / max(1, economy.num_schedules - 1)
        self.action_space = Discrete(economy.num_labour_levels)
        self._rng = np.random.default_rng(0)
        self._wealth = np.zeros(economy.num_citizens)

    def reset(self, seed: int | None = None) -> tuple[float, dict[str, Any]]:
        """Everybody starts with nothing."""
        self._rng = np.random.default_rng(seed)
        self._wealth = np.zeros(self._economy.num_citizens)
        return 0.0, {}

    def step(self, action: int) -> tuple[float, float, bool, bool, dict[str, Any]]:
        """One year."""
        economy, began = self._economy, time.perf_counter()
        labour = action / max(1, economy.num_labour_levels - 1)
        skill = np.exp(economy.inequality * self._rng.standard_normal(economy.num_citizens))
        income = labour * skill / (1 + skill)
        tax = self._rate * income ** (1 + economy.progressivity)
        wealth = self._wealth + income - tax + tax.mean()
        consumption = np.minimum(wealth / 2, 1.0)
        self._wealth = wealth - consumption
        follower = (np.sqrt(consumption).mean() - labour**2 / 4 + 0.25) / 1.25
        weight = economy.welfare_weight
        leader = (1 - weight) * tax.mean() + weight * consumption.min()
        left = economy.step_seconds - (time.perf_counter() - began)
        if left > 0:
            time.sleep(left)
        info = {"leader_reward": float(leader)}
        return float(self._wealth.mean()), float(follower), False, False, info


@dataclass(frozen=True)
class WealthBins:
    """Mean wealth -> its bin: num_states of them, equal in w/(1+w), which is in [0,1)."""

    num_states: int

    def __call__(self, wealth: float) -> int:
        """The bin."""
        return math.floor(wealth / (1 + wealth) * self.num_states)


def economy_game(
    num_leader_actions: int,
    num_follower_actions: int,
    num_states: int,
    horizon: int,
    num_citizens: int,
    inequality: float,
    progressivity: float,
    welfare_weight: float,
    step_seconds: float,
    evaluation_episodes: int,
) -> EnvGame:
    """The taxation economy."""
    economy = Economy(
        checks.integer("num_citizens", num_citizens, least=1),
        checks.integer("num_leader_actions", num_leader_actions, least=2),
        checks.integer("num_follower_actions", num_follower_actions, least=2),
        checks.real("inequality", inequality, least=0),
        checks.real("progressivity", progressivity, least=0),
        checks.real("welfare_weight", welfare_weight, least=0, most=1),
        checks.real("step_seconds", step_seconds, least=0),
    )
    return EnvGame(
        functools.partial(EconomyEnv, economy),
        num_leader_actions,
        horizon,
        checks.integer("num_states", num_states, least=1),
        WealthBins(num_states),
        evaluation_episodes=evaluation_episodes,
    )
