"""Named bandit-RL games that are programs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from stackel_bench import checks
from stackel_bench.families.bandit_rl.programs.economy import Economy, EconomyEnv, WealthBins
from stackel_bench.families.bandit_rl.programs.game import EnvGame
from stackel_bench.families.bandit_rl.programs.worlds import TAXI_REWARDS, LakeEnv, TaxiEnv
from stackel_bench.outside.reference import load_function


def gymnasium_game(
    make: str | None,
    num_leader_actions: int,
    horizon: int,
    num_states: int | None,
    discretise: str | None,
    reward_range: Sequence[float],
    leader_reward_range: Sequence[float] | None,
    evaluation_episodes: int,
    episode_seconds: float | None,
) -> EnvGame:
    """An environment of somebody's for each leader action, from a file or a module."""
    return EnvGame(
        load_function(make, "game.make", "FILE:make_env, where make_env(leader_action) is an environment"),
        num_leader_actions,
        horizon,
        num_states,
        None if discretise is None else load_function(discretise, "game.discretise", "FILE:function"),
        reward_range,
        leader_reward_range,
        evaluation_episodes,
        episode_seconds,
    )


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


def lake_game(
    num_leader_actions: int, horizon: int, welfare_weight: float, evaluation_episodes: int
) -> EnvGame:
    """FrozenLake whose keeper decides how slippery it is."""
    levels = checks.integer("num_leader_actions", num_leader_actions, least=2)
    weight = checks.real("welfare_weight", welfare_weight, least=0, most=1)
    make_env = functools.partial(LakeEnv, levels, weight)
    return EnvGame(make_env, levels, horizon, evaluation_episodes=evaluation_episodes)


def taxi_game(num_leader_actions: int, horizon: int, evaluation_episodes: int) -> EnvGame:
    """Taxi whose fares the leader sets."""
    levels = checks.integer("num_leader_actions", num_leader_actions, least=2)
    make_env = functools.partial(TaxiEnv, levels)
    return EnvGame(
        make_env,
        levels,
        horizon,
        reward_range=TAXI_REWARDS,
        leader_reward_range=(0.0, TAXI_REWARDS[1]),
        evaluation_episodes=evaluation_episodes,
    )


PROGRAMS: dict[str, Callable[..., Any]] = {
    "economy": economy_game,
    "gymnasium": gymnasium_game,
    "lake_program": lake_game,
    "slow_economy": economy_game,
    "taxi_program": taxi_game,
}
