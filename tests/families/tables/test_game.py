"""Games of action pairs: learners see sizes and samples only, identity is content, noise fits the means."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import stackel_bench as sb
from stackel_bench.errors import InputError
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.simultaneous.instances import SimultaneousGame
from stackel_bench.families.tables.game import PairSampler
from stackel_bench.games.noise import Noise
from stackel_bench.models import PayoffTable
from stackel_bench.streams import generator

TABLE = PayoffTable(np.array([[0.25, 0.75, 0.5], [0.0, 1.0, 0.125]]), np.full((2, 3), 0.5))


@pytest.mark.parametrize("family", [BanditGame, SimultaneousGame])
def test_learners_see_sizes_and_samples_only(family: type) -> None:
    sampler = family(TABLE).sampler
    public = {name for name in dir(sampler) if not name.startswith("_")}
    assert public == {
        "shape",
        "sub_gaussian_scale",
        "whole_rewards",
        "unit_rewards",
        "pull_row",
        "pull_counts",
    } | {
        "block_size",
        "job_per_unit",
    }
    assert "0.25" not in repr(sampler)
    assert sampler.shape == (2, 3)


@pytest.mark.parametrize("family", [BanditGame, SimultaneousGame])
def test_identity_is_content(family: type) -> None:
    game = family(TABLE)
    twin = family(PayoffTable(TABLE.leader_means.copy(), TABLE.follower_means.copy()), name="other")
    assert game.identity == twin.identity
    changed = TABLE.leader_means.copy()
    changed[1, 2] = np.nextafter(0.125, 1)
    others = [
        family(PayoffTable(changed, TABLE.follower_means)),
        family(PayoffTable(TABLE.leader_means.reshape(3, 2), TABLE.follower_means.reshape(3, 2))),
        family(PayoffTable(TABLE.follower_means, TABLE.leader_means)),
        family(TABLE, Noise("gaussian")),
        family(TABLE, Noise("gaussian", 0.75)),
    ]
    assert len({game.identity, *(other.identity for other in others)}) == 6
    assert game.sizes == {"num_leader_actions": 2, "num_follower_actions": 3}


def test_families_of_one_table_have_different_identities() -> None:
    assert BanditGame(TABLE).identity != SimultaneousGame(TABLE).identity


@pytest.mark.parametrize("kind", ["bernoulli", "gaussian", "deterministic"])
def test_rows_have_the_means_of_the_table(kind: str) -> None:
    """Sums of 10^12 pulls are within 7 standard deviations of the mean (alarm 1e-11)."""
    sampler = PairSampler(TABLE, Noise(kind))
    for row in range(2):
        leader, follower = sampler.pull_row(row, (10**6, 10**12), generator(kind, row))
        assert leader.shape == (2, 3)
        for sums, means in ((leader, TABLE.leader_means), (follower, TABLE.follower_means)):
            deviation = 7 * 0.5 * np.sqrt(np.array([[1e6], [1e12]]))
            assert (np.abs(sums - np.array([[1e6], [1e12]]) * means[row]) <= deviation).all()


def test_bernoulli_needs_means_in_the_unit_interval_and_other_noise_does_not() -> None:
    wide = PayoffTable(np.array([[-0.5, 2.0]]), np.array([[0.5, 1.0 + 1e-9]]))
    for family in (BanditGame, SimultaneousGame):
        with pytest.raises(InputError, match=r"^leader_means\[0,0\]: found -0\.5, .*noise is bernoulli"):
            family(wide)
        assert family(wide, Noise("gaussian")).sampler.sub_gaussian_scale == 0.5
        assert not family(wide, Noise("deterministic")).sampler.whole_rewards


@pytest.mark.parametrize("scale", [0, -1.0, float("nan"), float("inf"), None])
def test_noise_scales_are_positive(scale: float) -> None:
    with pytest.raises(InputError, match=r"^noise_scale: found"):
        Noise("gaussian", scale)


def test_learners_are_told_the_tails() -> None:
    assert Noise().sub_gaussian_scale == 0.5
    assert Noise("gaussian", 3.0).sub_gaussian_scale == 3.0
    assert Noise("deterministic", 3.0).sub_gaussian_scale == 0.5


def test_a_game_can_be_renamed_without_becoming_another() -> None:
    game = sb.load_game("bandit/trap")
    assert isinstance(game, BanditGame)
    assert dataclasses.replace(game, name="mine").identity == game.identity
