"""The files that the commands of the documentation read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.outside.conftest import MY_FILE, NEIGHBOUR


def put_example_files(folder: Path) -> None:
    """The files that the commands of docs/add_a_game.md and docs/add_a_learner.md read."""
    (folder / "my_file.py").write_text(MY_FILE + PROGRAMS)
    (folder / "neighbour.py").write_text(NEIGHBOUR)
    (folder / "my_conf" / "study").mkdir(parents=True)
    (folder / "my_conf" / "study" / "mine.yaml").write_text("name: mine\ngrids: [{game: bandit/trap}]\n")

    leader, follower = np.array([[0.5, 0.9], [0.7, 0.1]]), np.array([[0.6, 0.2], [0.3, 0.8]])
    np.savez(folder / "my_game.npz", leader_means=leader, follower_means=follower)
    payoffs = " ".join(f"{x} {y}" for x, y in zip(leader.T.ravel(), follower.T.ravel(), strict=True))
    (folder / "my_game.nfg").write_text(f'NFG 1 R "mine" {{ "leader" "follower" }} {{ 2 2 }}\n{payoffs}\n')


PROGRAMS = """


class Space:
    n = 2


class Coin:
    observation_space = action_space = Space()

    def __init__(self, price):
        self.price = price

    def reset(self, seed=None):
        self.flips = np.random.default_rng(seed)
        return 0, {}

    def step(self, action):
        return int(self.flips.integers(2)), float(action), False, False, {"leader_reward": self.price}


def make_env(leader_action):
    return Coin(leader_action / 2)


def simulate(leader_action, follower_action, pulls, rng):
    mean = (1 + leader_action + follower_action) / 4
    return rng.binomial(pulls, mean), rng.binomial(pulls, 1 - mean / 2)
"""
