"""Linear bandit games: checks, identity, and the law of what learners pull."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.families.linear.game import LinearBanditGame
from stackel_bench.games.noise import Noise
from stackel_bench.models.feature_source import CallableFeatures
from stackel_bench.models.linear_model import LinearModel
from stackel_bench.streams import generator

FEATURES = np.array([[[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]], [[1.0, 1.0], [0.25, 0.5], [0.0, 0.0]]])
MODEL = LinearModel(FEATURES, np.array([0.5, 0.25]), np.array([0.125, 0.75]))  # type: ignore[arg-type]
BOUNDED = Noise("bernoulli")


class _CountedReads:
    def __init__(self) -> None:
        self.reads = 0

    def __call__(self, start: int, stop: int) -> np.ndarray:
        self.reads += 1
        return FEATURES[start:stop]


def test_sizes_and_default_noise() -> None:
    game = LinearBanditGame(MODEL)
    assert game.sizes == {"num_leader_actions": 2, "num_follower_actions": 3, "dimension": 2}
    assert game.sampler.sub_gaussian_scale == 1
    assert not game.sampler.bounded
    assert game.sampler.features is MODEL.features


def test_identity_is_the_content_wherever_the_features_come_from() -> None:
    blocks = LinearModel(
        CallableFeatures((2, 3, 2), _CountedReads()), MODEL.leader_parameters, MODEL.follower_parameters
    )
    assert LinearBanditGame(blocks).identity == LinearBanditGame(MODEL).identity
    others = [
        LinearBanditGame(MODEL),
        LinearBanditGame(MODEL, BOUNDED),
        LinearBanditGame(LinearModel(MODEL.features, [0.5, 0.5], MODEL.follower_parameters)),
        LinearBanditGame(LinearModel(MODEL.features, MODEL.follower_parameters, MODEL.leader_parameters)),
        LinearBanditGame(replace(MODEL, features=FEATURES * 0.5)),
    ]
    assert len({game.identity for game in others}) == len(others)


def test_a_copy_reads_no_features() -> None:
    reads = _CountedReads()
    model = LinearModel(CallableFeatures((2, 3, 2), reads), np.ones(2), np.ones(2))
    game = LinearBanditGame(model)
    before = reads.reads
    assert replace(game, name="linear/other").identity == game.identity
    assert reads.reads == before


def test_gaussian_pulls_have_the_law_of_the_sum() -> None:
    """Mean and variance of 20,000 sums of 100 pulls; 6 standard errors (false alarm below 1e-8)."""
    sampler = LinearBanditGame(MODEL, Noise("gaussian", 2.0)).sampler
    sums = np.array([sampler.pull_pair(4, [100], generator("test", i)) for i in range(20_000)])[:, :, 0]
    for i, mean in enumerate((0.25, 0.40625)):
        assert abs(sums[:, i].mean() - 100 * mean) < 6 * 20 / np.sqrt(20_000)
        assert abs(sums[:, i].var() / 400 - 1) < 6 * np.sqrt(2 / 20_000)


def test_bounded_pulls_are_whole_and_nested() -> None:
    sampler = LinearBanditGame(MODEL, BOUNDED).sampler
    assert sampler.bounded
    leader, follower = sampler.pull_pair(1, [10, 1000, 10**9], generator("test"))
    assert np.array_equal(leader, np.rint(leader))
    assert (np.diff(leader) >= 0).all()
    assert leader[2] / 1e9 == pytest.approx(0.25, abs=1e-4)
    assert follower[2] / 1e9 == pytest.approx(0.75, abs=1e-4)


def test_deterministic_pulls_are_the_means() -> None:
    leader, follower = LinearBanditGame(MODEL, Noise("deterministic")).sampler.pull_pair(
        3, [8], generator("test")
    )
    assert (leader[0], follower[0]) == (8 * 0.75, 8 * 0.875)


def test_means_that_leave_the_interval_by_rounding_are_means() -> None:
    """0.1 + 0.2 + 0.7 in another order is more than 1 by one bit; -0.0...01 is a mean of 0."""
    features = np.array([[[0.1, 0.2, 0.7], [3.0, -1.0, 0.0], [0.0, 0.0, 1.0]]])
    theta = np.array([0.1, 0.30000000000000004, 1.0])
    game = LinearBanditGame(LinearModel(features, theta, theta), BOUNDED)  # type: ignore[arg-type]
    assert game.sampler.pull_pair(1, [50], generator("test"))[0][0] == 0


@pytest.mark.parametrize(
    ("model", "noise", "message"),
    [
        (
            LinearModel(np.zeros((2, 2, 2)), np.ones(2), np.ones(2)),  # type: ignore[arg-type]
            BOUNDED,
            "rank of features: found 0, allowed: at least 1",
        ),
        (
            LinearModel(np.ones((2, 2, 5)), np.ones(5), np.ones(5)),  # type: ignore[arg-type]
            BOUNDED,
            "dimension of features: found 5, allowed: at most one dimension per pair, 4",
        ),
        (
            LinearModel(MODEL.features, [1.0, 0.0], [1.0, 0.5]),
            BOUNDED,
            r"follower_means\[1,0\]: found 1\.5, allowed: \[0, 1\] \(noise is bounded\)",
        ),
        (LinearModel(MODEL.features, [-1.0, 0.0], [1.0, 0.0]), BOUNDED, r"leader_means\[0,0\]: found -1\.0"),
    ],
)
def test_faulty_games(model: LinearModel, noise: Noise, message: str) -> None:
    with pytest.raises(InputError, match=message):
        LinearBanditGame(model, noise)
