"""Gymnasium's FrozenLake and Taxi with a leader, played step by step."""

import functools
from typing import Any

from stackel_bench import checks
from stackel_bench.families.bandit_rl.mdps.grid_mdps import toy_text
from stackel_bench.families.bandit_rl.programs.game import EnvGame

_START = (2, 2, 0, 1)  # row, column, where the passenger waits, where it wants to go
_PLACES = 25
_DROP, _IN_TAXI = 5, 4
_ILLEGAL = -10.0
_FARE = 20.0


class LakeEnv:
    """FrozenLake whose keeper sweeps the ice: level a of A makes steps go as meant with probability p_a.

    p_a grows from 1/3 to 1 with the level. The follower gets 1 on reaching the goal. The leader gets
    welfare_weight for that, and (1 - welfare_weight) (1 - level) upkeep saved in every step until the end.
    """

    def __init__(self, num_levels: int, welfare_weight: float, leader_action: int) -> None:
        self._level = leader_action / max(1, num_levels - 1)
        self._weight = welfare_weight
        self._env: Any = toy_text().FrozenLakeEnv(success_rate=1 / 3 + 2 / 3 * self._level)
        self.observation_space, self.action_space = self._env.observation_space, self._env.action_space

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        """The start of the lake."""
        observation, info = self._env.reset(seed=seed)
        return observation, info

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """One step, with what the keeper gets of it."""
        observation, reward, terminated, truncated, info = self._env.step(action)
        info["leader_reward"] = self._weight * reward + (1 - self._weight) * (1 - self._level)
        return observation, float(reward), terminated, truncated, info


class TaxiEnv:
    """Taxi with one passenger whose fare the leader shares: level a of A takes the share a/A of it.

    Gymnasium's rewards, -1 a step, -10 for an illegal move and 20 for the delivery, are the follower's, less
    the leader's share of the fare, which is the leader's reward. Episodes start in the middle, the
    destination is fixed, and nobody is set down elsewhere: 25 places with the passenger waiting, 25 with it
    in the taxi, and the end.
    """

    def __init__(self, num_levels: int, leader_action: int) -> None:
        world = toy_text()
        self._share = leader_action / num_levels
        self._env: Any = world.TaxiEnv()
        self._goal = self._env.locs[_START[3]]
        self.action_space = self._env.action_space
        self.observation_space = type(self.action_space)(2 * _PLACES + 1)

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        """The taxi in the middle, the passenger at its first place."""
        _, info = self._env.reset(seed=seed)
        self._env.s = self._env.encode(*_START)
        return self._seen(), info

    def _seen(self) -> int:
        row, column, passenger, _ = self._env.decode(self._env.s)
        return int(row * 5 + column + _PLACES * (passenger == _IN_TAXI))

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """One move, with what the leader gets of it."""
        row, column, passenger, _ = self._env.decode(self._env.s)
        if action == _DROP and passenger == _IN_TAXI and (row, column) != self._goal:
            return self._seen(), _ILLEGAL, False, False, {"leader_reward": 0.0}
        _, reward, delivered, truncated, info = self._env.step(action)
        share = _FARE * self._share if delivered else 0.0
        seen = 2 * _PLACES if delivered else self._seen()
        return seen, float(reward) - share, delivered, truncated, {**info, "leader_reward": share}


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
    return EnvGame(
        functools.partial(TaxiEnv, levels),
        levels,
        horizon,
        reward_range=(_ILLEGAL, _FARE),
        leader_reward_range=(0.0, _FARE),
        evaluation_episodes=evaluation_episodes,
    )
