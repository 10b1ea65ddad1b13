"""Sample sizes of bandit and linear games: the spec's formulas, and that they do what they promise."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from stackel_bench.families.linear.theory import accurate_queries
from stackel_bench.families.tables.theory import (
    error_of_pulls,
    lower_bound_pulls,
    paper_pulls,
    pulls_for_error,
)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("pairs", [4, 54, 10**6])
@pytest.mark.parametrize("delta", [0.05, 1e-6])
def test_the_papers_number(epsilon: float, pairs: int, delta: float) -> None:
    assert paper_pulls(epsilon, pairs, delta) == math.ceil(32 * math.log(4 * pairs / delta) / epsilon**2)
    wide = paper_pulls(epsilon, pairs, delta, sub_gaussian_scale=2.0)
    assert wide == math.ceil(128 * 4 * math.log(4 * pairs / delta) / epsilon**2)
    quarter = pulls_for_error(epsilon / 4, pairs, delta, 0.5)
    assert quarter == math.ceil(8 * math.log(4 * pairs / delta) / epsilon**2)


def test_figures_of_the_errata() -> None:
    """A=6, B=9, eps=0.1: 26.8 thousand pulls of each pair, 1.45 million in all."""
    pulls = paper_pulls(0.1, 54, 0.05)
    assert pulls == 26_788
    assert 54 * pulls == pytest.approx(1.45e6, rel=0.01)
    assert lower_bound_pulls(0.01, 6, 9) == math.floor(3 * 6 * 3 / (864 * 0.01**2))


@pytest.mark.parametrize("pulls", [1, 17, 10**6])
def test_error_and_pulls_are_inverse(pulls: int) -> None:
    error = error_of_pulls(pulls, 54, 0.05, 0.5)
    assert error == pytest.approx(math.sqrt(math.log(4 * 54 / 0.05) / (2 * pulls)))
    assert pulls_for_error(error * (1 + 1e-9), 54, 0.05, 0.5) == pulls


@pytest.mark.parametrize("mean", [0.1, 0.5])
@pytest.mark.parametrize("epsilon", [0.2, 0.5])
def test_the_papers_number_suffices_for_bernoulli_means(epsilon: float, mean: float) -> None:
    """Exactly: the binomial tail beyond eps/8, over both players and all pairs, is at most delta."""
    pairs, delta = 54, 0.05
    pulls = paper_pulls(epsilon, pairs, delta)
    low = stats.binom.cdf(math.ceil(pulls * (mean - epsilon / 8)) - 1, pulls, mean)
    high = stats.binom.sf(math.floor(pulls * (mean + epsilon / 8)), pulls, mean)
    assert 2 * pairs * (low + high) <= delta


@pytest.mark.parametrize("epsilon", [0.05, 0.2])
@pytest.mark.parametrize("rank", [2, 20])
def test_queries_of_linear_games(epsilon: float, rank: int) -> None:
    unit = 256 * rank / epsilon**2
    assert accurate_queries(epsilon, rank, 30, 0.05, 1.0) == math.ceil(unit * math.log(4 * 30 / 0.05))
    assert accurate_queries(epsilon, rank, 30, 0.05, 0.5) == math.ceil(unit / 4 * math.log(4 * 30 / 0.05))
    assert accurate_queries(epsilon, rank, 2000, 0.05, 1.0) == math.ceil(unit * math.log(4 * 2000 / 0.05))


def test_a_query_is_the_least_there_is() -> None:
    assert pulls_for_error(1e6, 1, 0.5, 0.5) == 1
    assert accurate_queries(1e6, 1, 1, 0.5, 0.5) == 1
