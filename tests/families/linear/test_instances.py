"""Named linear games: the claims of their descriptions, with dense arrays and plain formulas."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.families.bandit.game import BanditGame
from stackel_bench.families.games import load_game
from stackel_bench.families.linear import features as linear_features
from stackel_bench.families.linear.game import LinearBanditGame


def load(name: str, **parameters: object) -> LinearBanditGame:
    game = load_game(f"linear/{name}", **parameters)
    assert isinstance(game, LinearBanditGame)
    return game


def dense(game: LinearBanditGame) -> np.ndarray:
    source = game.model.features
    return np.asarray(source.block(0, source.shape[0]))


def means(game: LinearBanditGame) -> tuple[np.ndarray, np.ndarray]:
    return dense(game) @ game.model.leader_parameters, dense(game) @ game.model.follower_parameters


@pytest.mark.parametrize("dimension", [2, 3, 5, 20])
def test_random_lies_in_the_unit_ball(dimension: int) -> None:
    for seed in range(5):
        game = load("random", dimension=dimension, instance_seed=seed, noise="bounded")
        features = dense(game)
        assert features.shape == (20, 20, dimension)
        assert np.linalg.norm(features, axis=2).max() <= 1
        assert np.linalg.matrix_rank(features.reshape(-1, dimension)) == dimension
        for theta in (game.model.leader_parameters, game.model.follower_parameters):
            assert np.linalg.norm(theta) <= 1
        for mean in means(game):
            assert mean.min() >= 0
            assert mean.max() <= 1


def test_random_is_uniform_in_the_ball() -> None:
    """|x|^(d-1) is uniform on [0,1] and x has mean 0: 10,000 points, 6 standard errors (alarm < 1e-7)."""
    game = load("random", num_leader_actions=100, num_follower_actions=100, dimension=4)
    x = dense(game).reshape(-1, 4)[:, 1:] / (181 / 256)
    volumes = np.linalg.norm(x, axis=1) ** 3
    for power in (1, 2, 3):
        spread = np.sqrt(1 / (2 * power + 1) - 1 / (power + 1) ** 2)
        assert abs((volumes**power).mean() - 1 / (power + 1)) < 6 * spread / 100
    assert np.abs(x.mean(axis=0)).max() < 6 * np.sqrt(0.2) / 100  # E x_i^2 = 1/(3+2)


@pytest.mark.parametrize("name", ["random", "low_rank", "taxation", "one_hot"])
def test_large_features_are_computed_and_equal_the_stored_ones(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = load(name)
    monkeypatch.setattr(linear_features, "STORED_ELEMENTS", 0)
    computed = load(name)
    assert type(stored.model.features) is not type(computed.model.features)
    assert stored.identity == computed.identity
    copy = pickle.loads(pickle.dumps(computed))  # as it travels to workers
    rows = copy.model.shape[0]
    parts = [copy.model.features.block(i, min(i + 3, rows)) for i in range(0, rows, 3)]
    assert np.array_equal(np.concatenate(parts), dense(stored))


@pytest.mark.parametrize(("dimension", "rank"), [(8, 3), (6, 6), (10, 2)])
def test_low_rank_has_the_rank_asked_for(dimension: int, rank: int) -> None:
    game = load("low_rank", dimension=dimension, rank=rank, instance_seed=3, noise="bounded")
    features = dense(game).reshape(-1, dimension)
    singular = np.linalg.svd(features, compute_uv=False)
    assert singular[rank - 1] > 0.1
    assert (singular[rank:] < 1e-9).all()
    flat = load("random", dimension=rank, instance_seed=3)
    for ours, theirs in zip(means(game), means(flat), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-4)
    if rank < dimension:
        basis = np.linalg.svd(features)[2][rank:]
        assert np.linalg.norm(basis @ game.model.leader_parameters) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("bandit", ["bandit/lower_bound", "bandit/trap", "bandit/taxation"])
def test_one_hot_is_the_bandit_game(bandit: str) -> None:
    table = load_game(bandit)
    assert isinstance(table, BanditGame)
    game = load("one_hot", bandit=bandit)
    assert game.noise == table.noise
    assert game.sizes["dimension"] == table.table.leader_means.size
    leader, follower = means(game)
    assert np.array_equal(leader, table.table.leader_means)
    assert np.array_equal(follower, table.table.follower_means)
    assert np.array_equal(dense(game).reshape(game.sizes["dimension"], -1), np.eye(game.sizes["dimension"]))


def test_bounded_and_bernoulli_are_one_noise() -> None:
    assert load("random", noise="bounded").identity == load("random", noise="bernoulli").identity


def test_one_hot_passes_parameters_on() -> None:
    game = load("one_hot", bandit="bandit/trap", parameters={"num_risky": 2, "noise": "gaussian"})
    assert game.sizes == {"num_leader_actions": 3, "num_follower_actions": 2, "dimension": 6}
    assert game.noise.kind == "gaussian"
    with pytest.raises(InputError, match=r"^unknown bandit 'trap'; choose one of bandit/"):
        load("one_hot", bandit="trap")


@pytest.mark.parametrize("degree", [2, 3, 6])
def test_taxation_is_a_polynomial(degree: int) -> None:
    cost, weight = 0.75, 0.25
    game = load("taxation", degree=degree, labour_cost=cost, welfare_weight=weight, noise="bounded")
    assert game.sizes["dimension"] == (degree + 1) * (degree + 2) // 2
    tax, labour = np.linspace(0, 1, 41)[:, None], np.linspace(0, 1, 41)[None, :]
    follower = ((1 - tax) * labour - cost * labour**2 + cost) / (1 + cost)
    leader = (1 - weight) * tax * labour + weight * follower
    got_leader, got_follower = means(game)
    assert got_follower == pytest.approx(follower, abs=1e-12)
    assert got_leader == pytest.approx(leader, abs=1e-12)
    for row, rate in enumerate(np.linspace(0, 1, 41)):
        wanted = min(1.0, (1 - rate) / (2 * cost))
        assert abs(np.argmax(got_follower[row]) / 40 - wanted) <= 0.5 / 40 + 1e-9
    assert np.linalg.matrix_rank(dense(game).reshape(-1, game.sizes["dimension"])) == game.sizes["dimension"]


def test_files_hold_the_same_game(tmp_path: Path) -> None:
    game = load("random", num_leader_actions=4, num_follower_actions=3, dimension=3)
    parameters = {
        "leader_parameters": game.model.leader_parameters,
        "follower_parameters": game.model.follower_parameters,
    }
    np.savez(tmp_path / "game.npz", features=dense(game), **parameters)
    np.save(tmp_path / "features.npy", dense(game))
    np.savez(tmp_path / "parameters.npz", **parameters)
    one = load("from_file", path=str(tmp_path / "game.npz"))
    two = load(
        "from_file",
        path=str(tmp_path / "features.npy"),
        parameters_path=str(tmp_path / "parameters.npz"),
    )
    assert game.identity == one.identity == two.identity
    block = two.model.features.block(0, 2)
    while not isinstance(block, np.memmap):  # mapped, not read
        assert isinstance(block.base, np.ndarray)
        block = block.base


def test_faulty_files(tmp_path: Path) -> None:
    file = tmp_path / "game.npz"
    theta = np.ones(2)
    np.savez(file, features=np.ones((2, 2, 2)), leader_parameters=theta)
    with pytest.raises(InputError, match=r"game\.npz\[follower_parameters\]: found .*only"):
        load("from_file", path=str(file))
    np.savez(file, features=np.ones((2, 2, 3)), leader_parameters=theta, follower_parameters=theta)
    with pytest.raises(InputError, match=r"game\.npz\[leader_parameters\.shape\]: found \(2,\)"):
        load("from_file", path=str(file))
    bad = np.ones((2, 2, 2))
    bad[1, 0, 1] = np.inf
    np.savez(file, features=bad, leader_parameters=theta, follower_parameters=theta)
    with pytest.raises(InputError, match=r"game\.npz\[features\[1,0,1\]\]: found inf"):
        load("from_file", path=str(file))
    np.savez(file, features=np.zeros((2, 2, 2)), leader_parameters=theta, follower_parameters=theta)
    with pytest.raises(InputError, match="rank of features: found 0"):
        load("from_file", path=str(file))
    np.savez(file, features=np.ones((1, 1, 2)), leader_parameters=theta, follower_parameters=theta)
    with pytest.raises(InputError, match="dimension of features: found 2, allowed: at most one"):
        load("from_file", path=str(file))
    np.save(tmp_path / "features.npy", np.ones((2, 2)))
    with pytest.raises(InputError, match=r"^parameters_path: found None|features\.shape"):
        load("from_file", path=str(tmp_path / "features.npy"))
    np.save(tmp_path / "features.npy", bad)
    np.savez(file, leader_parameters=theta, follower_parameters=theta)
    with pytest.raises(InputError, match=r"features\.npy\[features\[1,0,1\]\]: found inf"):
        load("from_file", path=str(tmp_path / "features.npy"), parameters_path=str(file))
    (tmp_path / "broken.npy").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"broken\.npy.*a \.npy file"):
        load("from_file", path=str(tmp_path / "broken.npy"))
    with pytest.raises(InputError, match=r"^parameters_path: found .*allowed: null"):
        load("from_file", path=str(file), parameters_path=str(file))


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("random", "dimension", 1),
        ("random", "dimension", 401),
        ("low_rank", "rank", 9),
        ("low_rank", "rank", 1),
        ("taxation", "degree", 1),
        ("taxation", "labour_cost", 0.0),
        ("taxation", "welfare_weight", -0.5),
        ("taxation", "noise_scale", -1.0),
        ("random", "noise", "unbounded"),
        ("one_hot", "parameters", [1]),
    ],
)
def test_wrong_parameters_are_named(name: str, field: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"^(unknown )?{field}\b"):
        load(name, **{field: value})
