"""A follower MDP as a program that is played step by step, faults included."""

from __future__ import annotations

import random
import time
from bisect import bisect_right
from typing import Any

import numpy as np

import stackel_bench as sb
from stackel_bench.models import FollowerMDP

GAME: Any = sb.load_game(
    "bandit_rl/random", num_leader_actions=2, num_follower_actions=2, num_states=3, horizon=3
)


class Space:
    def __init__(self, n: int, start: int = 0) -> None:
        self.n, self.start = n, start


class TableEnv:
    """A follower MDP, played step by step; actions are counted from 1."""

    def __init__(self, mdp: FollowerMDP, fault: str = "") -> None:
        self.laws = np.cumsum(mdp.transitions, axis=3)[..., :-1].tolist()
        self.means = (mdp.leader_rewards.tolist(), mdp.follower_rewards.tolist())
        self.observation_space, self.action_space = Space(mdp.shape[1]), Space(mdp.shape[2], start=1)
        self.start, self.fault, self.steps = mdp.initial_state, fault, 0

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        self.random, self.layer, self.state = random.Random(seed), 0, self.start
        return self.state, {}

    def step(self, action: int) -> tuple[Any, ...]:
        here = (self.layer, self.state, action - 1)
        law, leader, follower = (table[here[0]][here[1]][here[2]] for table in (self.laws, *self.means))
        earned = [float(self.random.random() < mean) for mean in (leader, follower)]
        self.state, self.layer = bisect_right(law, self.random.random()), self.layer + 1
        self.steps += 1
        return self.told(earned) if self.fault and self.steps > 20 else self.answer(earned)

    def answer(self, earned: list[float]) -> tuple[Any, ...]:
        return self.state, earned[1], False, False, {"leader_reward": earned[0]}

    def told(self, earned: list[float]) -> tuple[Any, ...]:
        """What a faulty environment does after a while."""
        state, follower, _, _, info = self.answer(earned)
        if self.fault == "raises":
            raise ValueError("no money")
        if self.fault == "exits":
            raise SystemExit(3)
        if self.fault == "gives up":
            raise GeneratorExit
        if self.fault == "hangs":
            time.sleep(60)
        follower = {"nan": float("nan"), "words": "much"}.get(self.fault, follower)
        info = {"leader_reward": 7.0} if self.fault == "range" else {} if self.fault == "missing" else info
        state = 99 if self.fault == "state" else state
        return state, follower, self.fault == "ends", self.fault == "cut", info


def make_env(leader_action: int) -> TableEnv:
    return TableEnv(GAME.mdps[leader_action])
