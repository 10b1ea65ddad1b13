"""Linear learners: the theorem at its budgets, fewer queries by design, one-hot games as bandits."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import stackel_bench as sb
from stackel_bench.errors import InputError
from stackel_bench.families.learners import make_learner
from stackel_bench.families.linear.game import LinearBanditGame
from stackel_bench.families.tables.row_pulls import PullSums
from stackel_bench.games.noise import Noise
from stackel_bench.learners.budget import FixedBudget, TheoryBudget
from stackel_bench.models import TieBreaking
from stackel_bench.models.linear_model import LinearModel
from tests import brute_force
from tests.replicates import decisions, failure_rate, verdicts

DELTA = 0.05


@pytest.mark.parametrize("algorithm", ["paper", "g_optimal"])
@pytest.mark.parametrize("dimension", [2, 5, 20])
def test_failure_probability_at_theory_budgets(dimension: int, algorithm: str) -> None:
    """200 replicates, none fails (delta is promised); with a few queries per point many do."""
    game = sb.load_game("linear/random", dimension=dimension)
    judged = verdicts(game, algorithm, TheoryBudget(0.1, DELTA), 200)
    starved = verdicts(game, algorithm, FixedBudget(0.1, DELTA, samples=10 * dimension), 200)
    assert all(failure_rate(judged[tie]) == 0.0 for tie in TieBreaking)
    assert max(failure_rate(starved[tie]) for tie in TieBreaking) > DELTA


@pytest.mark.parametrize("algorithm", ["paper", "g_optimal"])
def test_every_mean_is_within_an_eighth_of_epsilon_at_theory_budgets(algorithm: str) -> None:
    """What both allocations promise: sup over pairs and players of the error, 100 replicates, none beyond."""
    game = sb.load_game("linear/random", dimension=6, noise_scale=1.0)
    learner = make_learner("linear", algorithm)
    budget = TheoryBudget(0.2, DELTA)
    schedule = learner.schedule(game.sampler, budget)
    features = game.model.features.block(0, 20).reshape(-1, 6)
    design = schedule.detail.design
    points = features[design.indices]
    weights = np.array(schedule.detail.queries[0]) if algorithm == "g_optimal" else design.weights
    gram = points.T @ (weights[:, None] * points)
    truth = np.stack([game.model.leader_parameters, game.model.follower_parameters], axis=1)
    keys = [(0, block) for block in range(2)]
    blocks = [
        [learner.explore_block(game.sampler, schedule, u, key) for u in range(schedule.units)] for key in keys
    ]
    for replicate in range(100):
        found = [found[replicate % 64] for found in blocks[replicate // 64]]
        means = np.stack(found)[:, :, 0]
        fitted = np.linalg.solve(gram, points.T @ (weights[:, None] * means))
        assert np.abs(features @ (fitted - truth)).max() <= 0.2 / 8


def test_g_optimal_needs_a_tenth_of_the_papers_queries() -> None:
    """d = 20, 2000 pairs: spec says 19.5 times fewer; 10 is what we insist on."""
    game = sb.load_game("linear/random", num_leader_actions=40, num_follower_actions=50, dimension=20)
    budget = TheoryBudget(0.1, DELTA)
    paper, design = (
        make_learner("linear", name).schedule(game.sampler, budget).samples[0]
        for name in ("paper", "g_optimal")
    )
    assert paper >= 10 * design
    assert design >= math.ceil(256 * 20 * math.log(4 * 2000 / DELTA) / 0.1**2)
    for judged in verdicts(game, "g_optimal", budget, 50).values():
        assert failure_rate(judged) == 0.0


@pytest.mark.parametrize("tie", TieBreaking)
def test_one_hot_games_are_bandit_games(tie: TieBreaking) -> None:
    """Same values, and from the same reward sums the same decisions as the bandit learner."""
    bandit = sb.load_game("bandit/lower_bound")
    linear = sb.load_game("linear/one_hot", bandit="bandit/lower_bound")
    for slack in (0.0, 0.05, 0.1):
        expected = sb.leader_values(bandit, slack, tie)
        assert sb.leader_values(linear, slack, tie) == pytest.approx(expected, abs=1e-12)
    assert sb.gap(linear, 0.1, tie) == pytest.approx(sb.gap(bandit, 0.1, tie), abs=1e-12)
    budget = FixedBudget(epsilon=0.1, samples=54 * 1009)
    for algorithm in ("paper", "plug_in"):
        learner, twin = (make_learner(family, algorithm) for family in ("linear", "bandit"))
        schedule = learner.schedule(linear.sampler, budget)
        assert schedule.samples == (54 * 1009,)
        assert sorted(schedule.detail.design.indices.tolist()) == list(range(54))
        block = [learner.explore_block(linear.sampler, schedule, u, (0, "block")) for u in range(54)]
        for replicate in range(30):
            found = [found[replicate] for found in block]
            sums = np.empty((2, 54))
            sums[:, schedule.detail.design.indices] = np.round(np.stack(found)[:, :, 0].T * 1009)
            rows = sums.reshape(2, 1, 6, 9)
            drawn = [PullSums(rows[0, None, :, a], rows[1, None, :, a]) for a in range(6)]
            (one,) = learner.decide(linear.sampler, schedule, found, tie)
            twin_schedule = twin.schedule(bandit.sampler, budget)
            findings = [twin.finding(bandit.sampler, twin_schedule, sums) for sums in drawn]
            other = twin.decide_block(bandit.sampler, twin_schedule, findings, tie).at(0, 0)
            assert one.leader_action == other.leader_action
            assert one.estimated_value == pytest.approx(other.estimated_value, abs=1e-9)
            assert one.samples == other.samples


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("algorithm", ["paper", "g_optimal", "plug_in"])
def test_zero_noise_gives_the_optimum(seed: int, algorithm: str) -> None:
    """Without noise the fit is the truth; the means of all pairs go through fractions as the reference."""
    game = sb.load_game("linear/random", instance_seed=seed, noise="deterministic")
    features = game.model.features.block(0, 20)
    leader, follower = features @ game.model.leader_parameters, features @ game.model.follower_parameters
    epsilon = 0.1
    slack = 0.0 if algorithm == "plug_in" else 3 * epsilon / 4
    decided = decisions(game, algorithm, FixedBudget(epsilon, samples=1000), 1)
    for tie in TieBreaking:
        optimistic = tie is TieBreaking.OPTIMISTIC
        ((decision,),) = decided[tie]
        assert decision.leader_action == brute_force.commitment(leader, follower, slack, optimistic)
        best = brute_force.stackelberg_value(leader, follower, slack, optimistic)
        assert decision.estimated_value == pytest.approx(float(best), abs=1e-9)


def test_mapped_features_give_the_same_bits(tmp_path: Path) -> None:
    """Features from a memory-mapped file: same identity, values, core set and decision as from memory."""
    rng = np.random.default_rng(0)
    features = rng.standard_normal((50, 40, 6)) / 10
    parameters = {"leader_parameters": rng.random(6), "follower_parameters": rng.random(6)}
    np.save(tmp_path / "features.npy", features)
    np.savez(tmp_path / "parameters.npz", **parameters)
    mapped = sb.load_game(
        "linear/from_file",
        path=str(tmp_path / "features.npy"),
        parameters_path=str(tmp_path / "parameters.npz"),
    )
    held = LinearBanditGame(LinearModel(features, **parameters))
    assert mapped.identity == held.identity
    for tie in TieBreaking:
        assert (sb.leader_values(mapped, 0.1, tie) == sb.leader_values(held, 0.1, tie)).all()
        for algorithm in ("paper", "g_optimal"):
            first, second = (
                sb.learn(game, algorithm, epsilon=0.5, tie_breaking=tie) for game in (mapped, held)
            )
            assert pickle.dumps(first) == pickle.dumps(second)


def test_rank_deficient_features_are_fitted_in_their_span() -> None:
    game = sb.load_game("linear/low_rank")
    for judged in verdicts(game, "g_optimal", TheoryBudget(0.1, DELTA), 50).values():
        assert failure_rate(judged) == 0.0


def _two_sizes(ratio: float) -> LinearBanditGame:
    """Rotated features with singular values 1 and ratio; both directions matter to the mean rewards."""
    rng = np.random.default_rng(0)
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    features = (rng.uniform(-1, 1, (20, 20, 2)) * [1.0, ratio]) @ turn
    leader, follower = (rng.uniform(-1, 1, (2, 2)) / [1.0, ratio]) @ turn
    return LinearBanditGame(LinearModel(features, leader, follower))  # type: ignore[arg-type]


@pytest.mark.parametrize("algorithm", ["paper", "g_optimal"])
def test_ill_conditioned_features_keep_the_guarantee_or_are_refused(algorithm: str) -> None:
    """Down to 1e-9 no run of 20 fails at the theory budget; below 1e-10 nothing runs."""
    for ratio in (1e-3, 1e-6, 1e-9):
        for judged in verdicts(_two_sizes(ratio), algorithm, TheoryBudget(0.1, DELTA), 20).values():
            assert failure_rate(judged) == 0.0
    for ratio in (1e-11, 1e-12):
        with pytest.raises(InputError, match="leave that direction out"):
            sb.learn(_two_sizes(ratio), algorithm, epsilon=0.1)


def test_means_that_are_rounding_are_refused() -> None:
    """Singular values 1 and 1e-15 with means of order 1: nobody can compute these means."""
    with pytest.raises(InputError, match=r"leader_parameters: found .*choose other units"):
        _two_sizes(1e-15)


def test_bounded_rewards_need_a_quarter() -> None:
    budget = TheoryBudget(0.1, DELTA)
    samples = [
        make_learner("linear", "paper").schedule(sb.load_game("linear/random", noise=noise).sampler, budget)
        for noise in ("gaussian", "bernoulli")
    ]
    assert samples[0].counts[0] == pytest.approx(4 * samples[1].counts[0], rel=1e-4)


def test_fixed_totals_are_kept_and_too_small_ones_refused() -> None:
    game = sb.load_game("linear/random")
    for algorithm in ("paper", "g_optimal"):
        learner = make_learner("linear", algorithm)
        points = learner.schedule(game.sampler, TheoryBudget()).units
        for samples in (points + 1, 3 * points + 2, 1000):
            schedule = learner.schedule(game.sampler, FixedBudget(samples=samples))
            assert schedule.samples[-1] <= samples
        with pytest.raises(InputError, match=r"^budget\.samples: found 2"):
            learner.schedule(game.sampler, FixedBudget(samples=2))
    theory = make_learner("linear", "g_optimal").schedule(game.sampler, TheoryBudget())
    assert theory.samples[0] >= theory.theory_samples


@pytest.mark.parametrize(
    ("features", "field"),
    [
        (np.zeros((2, 2, 2)), "rank of features"),
        (np.ones((2, 2, 5)), "dimension of features"),
        (np.full((2, 2, 2), np.nan), "features[0,0,0]"),
        (np.full((2, 2, 2), np.inf), "features[0,0,0]"),
        (np.ones((2, 2)), "features.shape"),
    ],
)
def test_features_that_cannot_be_meant_are_refused(features: np.ndarray, field: str) -> None:
    parameters = np.ones(features.shape[-1])
    with pytest.raises(InputError) as caught:
        LinearBanditGame(LinearModel(features, parameters, parameters), Noise("gaussian"))
    assert caught.value.field == field
