"""Bandit-RL games: what is checked of their MDPs, and what learners get."""

from __future__ import annotations

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.game import BanditRLGame
from stackel_bench.games.noise import Noise
from stackel_bench.models import FollowerMDP
from stackel_bench.streams import generator


def mdp(leader: float = 0.5, states: int = 2, start: int = 0) -> FollowerMDP:
    shape = (2, states, 3)
    return FollowerMDP(
        np.full((*shape, states), 1 / states), np.full(shape, leader), np.full(shape, 0.25), start
    )


def test_sizes_and_sampler() -> None:
    game = BanditRLGame((mdp(), mdp(1.0)))
    assert game.sizes == {
        "num_leader_actions": 2,
        "num_follower_actions": 3,
        "num_states": 2,
        "horizon": 2,
    }
    sampler = game.sampler
    assert sampler.shape == (2, 2, 3)
    assert sampler.num_leader_actions == 2
    counts = sampler.simulator(1).play(np.full((2, 2, 3), 1 / 3), 1000, generator("test")).counts
    assert counts.sum(axis=(1, 2, 3)).tolist() == [1000, 1000]


def test_identity_is_the_content() -> None:
    games = [
        BanditRLGame((mdp(), mdp())),
        BanditRLGame((mdp(),)),
        BanditRLGame((mdp(), mdp(0.75))),
        BanditRLGame((mdp(0.75), mdp())),
        BanditRLGame((mdp(), mdp(start=1))),
        BanditRLGame((mdp(), mdp()), Noise("deterministic")),
    ]
    assert len({game.identity for game in games}) == len(games)
    assert BanditRLGame([mdp(), mdp()]).identity == games[0].identity  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mdps", "message"),
    [
        ((), r"mdps: found \(\), allowed: at least one"),
        ((mdp(), mdp(states=3)), r"mdps\[1\]\.shape: found \(2, 3, 3\)"),
        (
            (mdp(), mdp(1.5)),
            r"mdps\[1\]\.leader_rewards\[0,0,0\]: found 1\.5, allowed: mean rewards in \[0, 1\]",
        ),
    ],
)
def test_faulty_mdps(mdps: tuple[FollowerMDP, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        BanditRLGame(mdps)


def test_rewards_in_episodes_are_not_gaussian() -> None:
    with pytest.raises(
        InputError, match=r"unknown noise 'gaussian'.*; choose one of bernoulli, deterministic"
    ):
        BanditRLGame((mdp(),), Noise("gaussian"))
