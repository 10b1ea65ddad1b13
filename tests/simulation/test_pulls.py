"""Reward sums of many pulls: the law of per-sample draws, along a whole ladder, up to 2**53 pulls.

Chi-square and Kolmogorov-Smirnov tests reject below 1e-6; with about 20 of them and fixed seeds, a change of
the stream alone makes this file fail with probability 2e-5.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from stackel_bench.errors import InputError
from stackel_bench.simulation.pulls import nested_reward_sums
from stackel_bench.streams import generator
from tests.goodness_of_fit import chi_square_p, two_sample_p

ALARM = 1e-6
DRAWS = 40_000
LADDER = (2, 3, 7)


def many(kind: str, ladder: tuple[int, ...], mean: float, draws: int = DRAWS) -> np.ndarray:
    """[rung, draw] sums of independent arms with this mean."""
    return nested_reward_sums(np.full(draws, mean), kind, 0.5, ladder, generator("test", kind, *ladder))


@pytest.mark.parametrize("mean", [0.02, 0.5, 0.9])
@pytest.mark.parametrize("pulls", [1, 5, 40, 1000])
def test_bernoulli_sums_have_the_binomial_law(mean: float, pulls: int) -> None:
    observed = Counter(many("bernoulli", (pulls,), mean)[0].astype(int).tolist())
    law = stats.binom.pmf(np.arange(pulls + 1), pulls, mean)
    assert chi_square_p(observed, {k: float(p) for k, p in enumerate(law) if p > 0}) > ALARM


@pytest.mark.parametrize("mean", [0.1, 0.5])
def test_nested_sums_have_the_joint_law_of_per_sample_draws(mean: float) -> None:
    """The whole vector along the ladder, against single rewards added up one by one."""
    rewards = np.random.default_rng(5).random((DRAWS, LADDER[-1])) < mean
    by_sample = rewards.cumsum(axis=1)[:, [pulls - 1 for pulls in LADDER]]
    by_count = many("bernoulli", LADDER, mean).T.astype(int)
    first, second = (Counter(map(tuple, sums.tolist())) for sums in (by_sample, by_count))
    assert two_sample_p(first, second) > ALARM


def test_nested_sums_have_the_exact_joint_law() -> None:
    mean, steps = 0.3, np.diff((0, *LADDER))
    expected = {}
    for increments in itertools.product(*[range(n + 1) for n in steps]):
        probability = np.prod([stats.binom.pmf(k, n, mean) for k, n in zip(increments, steps, strict=True)])
        expected[tuple(np.cumsum(increments).tolist())] = float(probability)
    observed = Counter(map(tuple, many("bernoulli", LADDER, mean).T.astype(int).tolist()))
    assert chi_square_p(observed, expected) > ALARM


def test_arms_and_players_are_independent() -> None:
    means = np.full((2, DRAWS), 0.4)
    leader, follower = nested_reward_sums(means, "bernoulli", 0.5, [3], generator("players"))[0].astype(int)
    law = stats.binom.pmf(np.arange(4), 3, 0.4)
    expected = {(i, j): float(law[i] * law[j]) for i in range(4) for j in range(4)}
    assert chi_square_p(Counter(zip(leader.tolist(), follower.tolist(), strict=True)), expected) > ALARM


def test_gaussian_sums_have_the_normal_law_with_independent_increments() -> None:
    sums = many("gaussian", LADDER, 0.7)
    steps = np.diff((0, *LADDER))
    increments = np.diff(sums, axis=0, prepend=np.zeros((1, DRAWS)))
    normal = (increments - 0.7 * steps[:, None]) / (0.5 * np.sqrt(steps))[:, None]
    for rung in normal:
        assert stats.kstest(rung, "norm").pvalue > ALARM
    correlation = np.corrcoef(normal)[np.triu_indices(3, 1)]
    assert np.abs(correlation).max() < 5.5 / np.sqrt(DRAWS)


def test_deterministic_sums_are_the_means() -> None:
    means = np.array([[0.25, 0.5], [0.75, 1.0]])
    sums = nested_reward_sums(means, "deterministic", 0.5, [4, 10], generator("none"))
    assert (sums == np.array([4, 10])[:, None, None] * means).all()


@pytest.mark.parametrize("pulls", [2**31, 2**32, 2**40 - 1, 2**53 - 1, 2**53])
@pytest.mark.parametrize("mean", [0.5, 0.25, 0.3])
def test_huge_counts_at_powers_of_two(pulls: int, mean: float) -> None:
    """Standardised sums are normal to three digits here; none of 40,000 lies beyond 6.5 sigma (3e-6)."""
    sums = many("bernoulli", (pulls,), mean)[0]
    assert (sums == np.floor(sums)).all()
    scores = (sums - pulls * mean) / np.sqrt(pulls * mean * (1 - mean))
    assert np.abs(scores).max() < 6.5
    assert stats.kstest(scores, "norm").pvalue > ALARM


@pytest.mark.parametrize("pulls", [-1, 2**53 + 1, 1.5])
def test_impossible_counts_are_refused(pulls: int) -> None:
    with pytest.raises(InputError, match="pulls: found"):
        nested_reward_sums(np.array([0.5]), "bernoulli", 0.5, [pulls], generator("bad"))


@pytest.mark.parametrize("kind", ["bernoulli", "gaussian"])
def test_certain_and_impossible_rewards(kind: str) -> None:
    extreme: Callable[[float], np.ndarray] = lambda mean: many("bernoulli", (10,), mean, 50)  # noqa: E731
    assert (extreme(0.0) == 0).all()
    assert (extreme(1.0) == 10).all()
    assert many(kind, (0, 0, 5), 0.5, 3)[:2].tolist() == [[0.0] * 3] * 2
