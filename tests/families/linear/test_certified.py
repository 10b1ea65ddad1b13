"""The certified learner of linear games: its ellipsoids hold at all times, its promise at every boundary."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import stackel_bench as sb
from stackel_bench.families.learners import make_learner
from stackel_bench.families.linear.difference_design import STEPS, difference_design
from stackel_bench.families.linear.feature_confidence import FeatureConfidence, whitening
from stackel_bench.families.linear.game import LinearBanditGame
from stackel_bench.games.noise import Noise
from stackel_bench.learners.budget import TheoryBudget
from stackel_bench.models import TieBreaking
from stackel_bench.models.feature_source import feature_source
from stackel_bench.models.linear_model import LinearModel
from stackel_bench.tolerances import RADIUS_ROUNDING
from tests.replicates import broken, stopped

EPSILON = 0.3


def test_the_bound_is_the_mixture_of_supermartingales() -> None:
    """r = 1: the integral of exp(l S - n l^2 s^2/2) over l ~ Normal(0, 1/(s^2 c n0)) is 1/a at the radius."""
    scale, first, more, delta = 0.7, 16, 500, 0.05
    known = FeatureConfidence(1, delta, scale, most=60.0)  # three multiples: 1, 8, 64
    for queries in (first, more):
        known.add(np.ones((1, 1)), np.array([queries]), np.zeros((1, 2)))
    _, high, _ = known.intervals(np.ones((1, 1, 1)))
    radius = float(high[0, 0, ...]) / (1 + RADIUS_ROUNDING)
    n = first + more
    grid = np.linspace(-4, 4, 400_001)
    mixtures = []
    for multiple in (1, 8, 64):
        precision = multiple * first * scale**2
        density = np.exp(-0.5 * grid**2 * precision) * math.sqrt(precision / (2 * math.pi))
        integrand = np.exp(grid * n * radius - 0.5 * n * (grid * scale) ** 2) * density
        mixtures.append(float(np.trapezoid(integrand, grid)))
    assert max(mixtures) == pytest.approx(2 * 3 / delta, rel=1e-6)


def test_bounds_hold_at_all_times_under_a_design_that_follows_the_noise() -> None:
    """delta = 1/2, 300 runs of 25 batches, queries go where the fit errs most; false alarm below 1e-6."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((2, 4, 3))
    points = rows.reshape(-1, 3)
    truth = rng.standard_normal((3, 2))
    means = rows @ truth
    ever = 0
    for _ in range(300):
        known = FeatureConfidence(3, 0.5, 1.0, most=100.0)
        counts = np.full(len(points), 2)
        broken = False
        for _ in range(25):
            noise = np.sqrt(counts)[:, None] * rng.standard_normal((len(points), 2))
            known.add(points, counts, counts[:, None] * (points @ truth) + noise)
            low, high, apart = known.intervals(rows)
            leader, follower = means[..., 0], means[..., 1]
            broken |= bool(((leader < low) | (leader > high)).any())
            broken |= bool((follower[:, :, None] - follower[:, None, :] > apart + 1e-12).any())
            errors = np.abs(points @ (known.fitted - truth)).sum(axis=1)
            counts = np.where(errors == errors.max(), 1 + known.samples // 6, 0)
        ever += broken
    assert stats.binom.sf(ever - 1, 300, 0.5) > 1e-6
    assert ever > 0  # the bound is not so wide that the test could not fail


def test_whitened_coordinates_say_all_and_their_design_is_isotropic() -> None:
    rng = np.random.default_rng(1)
    flat = rng.standard_normal((30, 3)) @ rng.standard_normal((3, 5)) * np.array([1e-3, 1, 1, 40, 1])
    source = feature_source(flat.reshape(6, 5, 5))
    white = whitening(source)
    assert white.rank == 3
    points = white.coordinates(source.pairs(white.design.indices))
    np.testing.assert_allclose((points.T * white.design.weights) @ points, np.eye(3), atol=1e-9)
    fitted = rng.standard_normal((3, 2))
    np.testing.assert_allclose(flat @ white.parameters(fitted), white.coordinates(flat) @ fitted, atol=1e-9)


def test_designs_for_one_direction_are_elfvings() -> None:
    """y = sum of c_i e_i is measured best with shares proportional to |c_i|."""
    direction = np.array([[2.0, -1.0, 0.0, 3.0]])
    shares = difference_design(direction, np.eye(4), 1e-9 * np.eye(4), 1.0, 200)
    np.testing.assert_allclose(shares, [1 / 3, 1 / 6, 0, 1 / 2], atol=1e-6)


def test_points_that_tell_nothing_are_not_measured() -> None:
    """Directions orthogonal to some of the pool, up to rounding: those points' gain may come out below 0."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        pool = np.linalg.qr(rng.standard_normal((9, 9)))[0] * 3
        shares = difference_design(rng.standard_normal((4, 3)) @ pool[:3], pool, np.eye(9), 300.0, STEPS)
        assert shares[:3].sum() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("seed", range(4))
def test_designs_are_as_good_as_the_best_of_many(seed: int) -> None:
    """At most 3 % above the best of 20,000 random shares, refined around the best one."""
    rng = np.random.default_rng(seed)
    pool, directions = rng.standard_normal((5, 2)), rng.standard_normal((6, 2))
    gram = 0.05 * np.eye(2)

    def worst(shares: np.ndarray) -> np.ndarray:
        matrices = gram + np.einsum("nx,xi,xj->nij", shares, pool, pool)
        return np.einsum("yi,nij,yj->ny", directions, np.linalg.inv(matrices), directions).max(axis=1)

    tried = rng.dirichlet(np.full(5, 0.4), 10_000)
    around = tried[worst(tried).argmin()]
    tried = np.vstack([tried, rng.dirichlet(1e-3 + 50 * around, 10_000)])
    shares = difference_design(directions, pool, gram, 1.0, STEPS)
    assert shares.sum() == pytest.approx(1)
    assert worst(shares[None])[0] <= 1.03 * worst(tried).min()


def boundary_game(seed: int) -> Any:
    """Values and responses that differ by epsilon/2 and epsilon, a little more or a little less."""
    rng = np.random.default_rng(seed)
    steps = EPSILON * np.array([0.0, 0.49, 0.51, 0.99, 1.01])
    leader, follower = 0.2 + rng.choice(steps, size=(2, 2, 3))
    means = {"leader_means": leader.tolist(), "follower_means": follower.tolist()}
    return sb.load_game("linear/one_hot", bandit="bandit/explicit", parameters=means)


def test_it_fails_at_most_delta_often_where_every_mean_is_at_a_boundary() -> None:
    """delta = 1/2, 60 runs of each tie-breaking on 6 games; false alarms have probability below 1e-6."""
    learner, budget = make_learner("linear", "certified"), TheoryBudget(epsilon=EPSILON, delta=0.5)
    failed = dict.fromkeys(TieBreaking, 0)
    for seed in range(6):
        game = boundary_game(seed)
        paper = learner.schedule(game.sampler, budget).theory_samples
        for tie, found in stopped(learner, game, budget, 10, seed).items():
            failed[tie] += broken(game, found, EPSILON)
            assert max(decision.samples for decision in found) <= 1.3 * paper
    assert all(stats.binom.sf(count - 1, 60, 0.5) > 1e-6 for count in failed.values())


@pytest.mark.parametrize("noise", [Noise("gaussian", 1.0), Noise("deterministic"), Noise("bernoulli")])
@pytest.mark.parametrize("rank", [1, 3])
def test_ties_everywhere_still_stop(noise: Noise, rank: int) -> None:
    """Equal means everywhere, where nothing can be told apart; also with copies of one feature row."""
    rows = np.tile(np.eye(rank), (4, 1))[: 4 * rank].reshape(4, rank, rank)
    model = LinearModel(feature_source(rows), np.full(rank, 0.5), np.full(rank, 0.5))
    game = LinearBanditGame(model, noise)
    learner, budget = make_learner("linear", "certified"), TheoryBudget(epsilon=EPSILON)
    for (found,) in stopped(learner, game, budget, 1).values():
        assert found.diagnostics["certified"] == 1
        assert found.samples <= 1.3 * learner.schedule(game.sampler, budget).theory_samples


@pytest.mark.parametrize("scale", [0.02, 0.1, 0.3])
def test_little_noise_never_takes_more_than_the_paper(scale: float) -> None:
    """The paper asks for 1 to 60 queries of each core point; the first batch is no larger."""
    rng = np.random.default_rng(4)
    rows, parameters = rng.standard_normal((3, 4, 2)), rng.uniform(size=(2, 2))
    game = LinearBanditGame(LinearModel(feature_source(rows), *parameters), Noise("gaussian", scale))
    learner, budget = make_learner("linear", "certified"), TheoryBudget(epsilon=1.0)
    for found in stopped(learner, game, budget, 5).values():
        paper = learner.schedule(game.sampler, budget).theory_samples
        assert max(decision.samples for decision in found) <= 1.3 * paper


def test_it_stops_earlier_than_the_paper_and_than_the_design() -> None:
    """Random 20 x 20, d = 10, eps .2: 30 and 4 times (pessimistic); asked for are 13 and 1.9."""
    game = sb.load_game("linear/random", num_leader_actions=20, num_follower_actions=20, dimension=10)
    learner, budget = make_learner("linear", "certified"), TheoryBudget(epsilon=0.2)
    schedule = learner.schedule(game.sampler, budget)
    design = make_learner("linear", "g_optimal").schedule(game.sampler, budget)
    found = learner.explore(game.sampler, schedule, 0, ("test",))  # type: ignore[attr-defined]
    for decision in found.values():
        assert decision.samples < schedule.theory_samples / 13
        assert decision.samples < design.theory_samples / 1.9
