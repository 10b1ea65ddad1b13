"""The certified learner keeps its promise where it is hardest, stops early, and says when it was cut."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import stackel_bench as sb
from stackel_bench.families.learners import make_learner
from stackel_bench.families.tables.pair_confidence import PairConfidence
from stackel_bench.learners.budget import TheoryBudget
from stackel_bench.learners.certified.rows import row_bounds
from stackel_bench.models import TieBreaking
from stackel_bench.planning.finite import finite_leader_values
from tests.replicates import broken, stopped

EPSILON = 0.3


def boundary_game(seed: int) -> Any:
    """Values and responses that differ by epsilon/2 and epsilon, a little more or a little less."""
    rng = np.random.default_rng(seed)
    steps = EPSILON * np.array([0.0, 0.49, 0.51, 0.99, 1.01])
    leader, follower = 0.2 + rng.choice(steps, size=(2, 3, 3))
    return sb.load_game("bandit/explicit", leader_means=leader, follower_means=follower)


def test_it_fails_at_most_delta_often_where_every_mean_is_at_a_boundary() -> None:
    """delta = 1/2, 120 runs of each tie-breaking on 12 games; false alarms have probability below 1e-6."""
    learner, budget = make_learner("bandit", "certified"), TheoryBudget(epsilon=EPSILON, delta=0.5)
    failed: dict[TieBreaking, int] = dict.fromkeys(TieBreaking, 0)
    for seed in range(12):
        game = boundary_game(seed)
        for tie, found in stopped(learner, game, budget, 10, seed).items():
            failed[tie] += broken(game, found, EPSILON)
    assert all(stats.binom.sf(count - 1, 120, 0.5) > 1e-6 for count in failed.values())


@pytest.mark.parametrize("noise", ["bernoulli", "gaussian", "deterministic"])
def test_ties_everywhere_and_rewards_without_noise(noise: str) -> None:
    """Where nothing can be told apart it still stops, within 1.3 times the paper's samples."""
    flat = np.full((3, 2), 0.5)
    game = sb.load_game("bandit/explicit", leader_means=flat, follower_means=flat, noise=noise)
    learner, budget = make_learner("bandit", "certified"), TheoryBudget(epsilon=EPSILON)
    for (found,) in stopped(learner, game, budget, 1).values():
        assert found.diagnostics["certified"] == 1
        assert found.samples <= 1.3 * learner.schedule(game.sampler, budget).theory_samples


@pytest.mark.parametrize("family", ["bandit", "simultaneous"])
@pytest.mark.parametrize("scale", [0.01, 0.05, 0.2, 1.0])
def test_little_noise_and_large_delta_never_take_more_than_the_paper(family: str, scale: float) -> None:
    """The paper asks for 1 to 400 pulls of each pair; the first batch is no larger."""
    flat = np.full((2, 3), 0.5)
    game = sb.load_game(
        f"{family}/explicit", leader_means=flat, follower_means=flat, noise="gaussian", noise_scale=scale
    )
    learner = make_learner(family, "certified")
    for delta in (0.05, 0.95):
        budget = TheoryBudget(epsilon=1.0, delta=delta)
        paper = learner.schedule(game.sampler, budget).theory_samples
        for found in stopped(learner, game, budget, 3).values():
            assert max(decision.samples for decision in found) <= 1.3 * paper


@pytest.mark.parametrize(
    ("leader", "follower"),
    [
        ([[0.0, 1.0], [1.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]]),  # means 0 and 1, all responses tied
        ([[1.0], [0.69], [0.71]], [[0.5], [0.5], [0.5]]),  # B = 1: one arm just within epsilon, one not
        ([[0.1, 0.9, 0.5]], [[0.8, 0.51, 0.49]]),  # A = 1: the follower's line alone
        ([[1.0, 0.0], [0.6, 0.6], [0.31, 0.29]], [[0.5, 0.649], [0.5, 0.5], [0.5, 0.201]]),  # both lines
    ],
)
def test_games_that_are_made_to_mislead_it(leader: Any, follower: Any) -> None:
    """delta = 1/2, 40 runs of each tie-breaking; a sound learner is blamed with probability below 1e-6."""
    game = sb.load_game("bandit/explicit", leader_means=leader, follower_means=follower)
    learner, budget = make_learner("bandit", "certified"), TheoryBudget(epsilon=EPSILON, delta=0.5)
    most = 1.3 * learner.schedule(game.sampler, budget).theory_samples
    for found in stopped(learner, game, budget, 40).values():
        assert stats.binom.sf(broken(game, found, EPSILON) - 1, 40, 0.5) > 1e-6
        assert max(decision.samples for decision in found) <= most


def test_certain_rewards_prove_more_than_noisy_ones() -> None:
    """Means 0 and 1 have no variance: an interval shrinks as 1/n, not as 1/sqrt(n)."""
    known = PairConfidence((1, 1), 0.05, None)
    known.add(np.full((1, 1), 1000), np.zeros((1, 1)), np.zeros((1, 1)))
    exact = known.intervals.high[0, 0]
    known = PairConfidence((1, 1), 0.05, None)
    known.add(np.full((1, 1), 2000), np.full((1, 1), 1000.0), np.zeros((1, 1)))
    noisy = known.intervals.high[0, 0] - 0.5
    assert exact < 0.01 < 0.04 < noisy


def test_it_stops_earlier_than_the_paper() -> None:
    """Trap, eps .1: 13 (pessimistic) and 43 times (optimistic); here with a margin of a third."""
    game = sb.load_game("bandit/trap")
    learner, budget = make_learner("bandit", "certified"), TheoryBudget(epsilon=0.1)
    paper = learner.schedule(game.sampler, budget).theory_samples
    for found, factor in zip(stopped(learner, game, budget, 20).values(), (9, 28), strict=True):
        assert np.mean([decision.samples for decision in found]) < paper / factor


@pytest.mark.parametrize("tie", list(TieBreaking))
@pytest.mark.parametrize("seed", range(20))
def test_bounds_hold_for_every_game_within_the_confidence(seed: int, tie: TieBreaking) -> None:
    """The Lemma: for random bounds and means between them, win <= phi_{eps/2} and phi_eps <= challenge."""
    rng = np.random.default_rng(seed)
    leader, follower = rng.uniform(size=(2, 40, 4))
    low, high = leader - rng.uniform(0, 0.3, leader.shape), leader + rng.uniform(0, 0.3, leader.shape)
    difference = follower[:, :, None] - follower[:, None, :] + rng.uniform(0, 0.3, (40, 4, 4))
    difference[:, range(4), range(4)] = 0
    bounds = row_bounds(low, high, difference, EPSILON, tie)
    own, best = (EPSILON / 2, EPSILON) if tie is TieBreaking.PESSIMISTIC else (EPSILON, 0.0)
    assert (bounds.win <= finite_leader_values(leader, follower, own, tie)).all()
    assert (bounds.challenge >= finite_leader_values(leader, follower, best, tie)).all()
    assert (follower.max(axis=1, keepdims=True) - follower <= bounds.behind).all()
    exact = follower[:, :, None] - follower[:, None, :]
    tight = row_bounds(leader, leader, exact, EPSILON, tie)
    np.testing.assert_array_equal(tight.win, finite_leader_values(leader, follower, own, tie))
    np.testing.assert_array_equal(tight.challenge, finite_leader_values(leader, follower, best, tie))


def test_the_confidence_is_the_mixture_of_supermartingales() -> None:
    """Integral of exp(l S - n l^2 s^2/2) over l ~ Normal(0, 1/s^2), by quadrature, is 1/a at the radius."""
    n, scale, delta = 50, 0.5, 0.05
    known = PairConfidence((1, 1), delta, scale)
    known.add(np.full((1, 1), n), np.zeros((1, 1)), np.zeros((1, 1)))
    radius = float(known.intervals.high[0, 0])
    grid = np.linspace(-60, 60, 400_001)
    density = np.exp(-0.5 * (grid * scale) ** 2) * scale / math.sqrt(2 * math.pi)
    mixture = np.trapezoid(np.exp(grid * n * radius - 0.5 * n * (grid * scale) ** 2) * density, grid)
    assert mixture == pytest.approx(2 / delta, rel=1e-6)
