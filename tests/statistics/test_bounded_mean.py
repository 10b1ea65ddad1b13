"""Intervals of bounded means: Clopper-Pearson for two values, exact splines, exact coverage of small laws."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from stackel_bench.errors import InputError
from stackel_bench.statistics.bounded_mean import mean_interval, mean_intervals, tail_probability


@pytest.mark.parametrize("count", [1, 2, 20, 60, 400, 5000])
def test_two_values_give_the_clopper_pearson_interval(count: int) -> None:
    for ones in sorted({0, 1, count // 50, count // 3, count - 1, count}):
        values = (np.arange(count) < ones).astype(float)
        expected = stats.binomtest(ones, count).proportion_ci(0.95, "exact")
        assert mean_interval(values, 0, 1) == pytest.approx(tuple(expected), abs=1e-10)


@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_tails_are_those_of_the_spline(count: int) -> None:
    """P(mean > t) = sum over z_i > t of (z_i - t)^n / prod_j (z_i - z_j), for n+1 distinct points."""
    rng = np.random.default_rng(count)
    values = np.sort(rng.integers(0, 2**30, count) / 2**30) ** 2
    points = [Fraction(value) for value in (*values, 1.0)]
    for share in (0.2, 0.5, 0.9):
        t = Fraction(float(values[0] + share * (1 - values[0])))
        exact = Fraction(0)
        for i, point in enumerate(points):
            if point > t:
                exact += (point - t) ** count / math.prod(point - z for j, z in enumerate(points) if j != i)
        assert tail_probability(values, float(t)) == pytest.approx(float(exact), rel=1e-9, abs=1e-300)


def test_thousands_of_values_with_rare_losses_near_the_mean() -> None:
    """The bent path of integration rises here, by 10^5 and more; weights drawn instead (false alarm 1e-6)."""
    values = np.repeat([0.0, 0.15065274, 0.20112238], [28, 5971, 1])
    rng = np.random.default_rng(5)
    masses = np.stack([rng.gamma(count, size=400_000) for count in (28, 5971, 1, 1)])
    drawn = np.array([0.0, 0.15065274, 0.20112238, 1.0]) @ masses / masses.sum(axis=0)
    for point in (0.1501, 0.1505, 0.1508):
        found = tail_probability(values, point)
        assert abs((drawn > point).mean() - found) < 4.9 * math.sqrt(found * (1 - found) / drawn.size)
    assert tail_probability(values, mean_interval(values, 0, 1)[1]) == pytest.approx(0.025, rel=1e-6)


@pytest.mark.parametrize("count", [20, 60, 400])
@pytest.mark.parametrize("probability", [0.001, 0.02, 0.3])
@pytest.mark.parametrize("loss", [0.05, 0.5, 1.0])
def test_rare_losses_are_covered(count: int, probability: float, loss: float) -> None:
    """A loss happens with this probability: coverage, summed over the law, is at least 95 % (no chance)."""
    hits = np.arange(count + 1)
    weights = stats.binom.pmf(hits, count, probability)
    kept = weights > 1e-9
    values = loss * (np.arange(count)[:, None] < hits[kept])
    low, high = mean_intervals(values, 0, 1)
    missed = (low > loss * probability + 1e-9) | (high < loss * probability - 1e-9)
    assert weights[kept][missed].sum() + weights[~kept].sum() <= 0.05


@pytest.mark.parametrize("count", [2, 3, 5])
def test_every_law_on_four_points_is_covered(count: int) -> None:
    """Coverage of each limit by enumerating all samples: random laws on four random points, some extreme."""
    rng = np.random.default_rng(count)
    for trial in range(12):
        points = np.sort(np.concatenate([rng.random(2), [0.0, 1.0] if trial % 2 else rng.random(2)]))
        law = rng.dirichlet(np.full(4, 0.3 if trial % 3 else 1.0))
        samples = list(itertools.combinations_with_replacement(range(4), count))
        chances = [stats.multinomial.pmf(np.bincount(s, minlength=4), count, law) for s in samples]
        low, high = mean_intervals(points[np.array(samples)].T, 0, 1, confidence=0.8)
        mean = float((law * points).sum())
        assert sum(itertools.compress(chances, low > mean + 1e-9)) <= 0.1
        assert sum(itertools.compress(chances, high < mean - 1e-9)) <= 0.1


def test_simulated_losses_are_covered() -> None:
    """Losses that are rare and of random size; 300 cells at 95 % cover fewer than 270 times with 1e-4."""
    rng = np.random.default_rng(7)
    for probability, count in ((0.02, 60), (0.3, 60), (0.02, 400)):
        values = np.where(rng.random((count, 300)) < probability, rng.random((count, 300)) ** 2, 0.0)
        low, high = mean_intervals(values, 0, 1)
        assert ((low <= probability / 3) & (probability / 3 <= high)).sum() >= 270


def test_many_values_give_the_normal_interval() -> None:
    values = np.random.default_rng(2).random(20_000)
    low, high = mean_interval(values, 0, 1)
    half = 1.96 * values.std() / math.sqrt(len(values))
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.02 * half)


def test_never_wider_than_hoeffding() -> None:
    rng = np.random.default_rng(3)
    for count in (1, 5, 60):
        values = rng.beta(0.3, 0.3, size=(count, 20))
        low, high = mean_intervals(values, 0, 1)
        half = math.sqrt(math.log(2 / 0.05) / (2 * count))
        assert (low >= values.mean(axis=0) - half).all()
        assert (high <= values.mean(axis=0) + half).all()


def test_order_does_not_matter_to_the_last_bit() -> None:
    rng = np.random.default_rng(4)
    values = rng.random(150) ** 4
    assert mean_interval(rng.permutation(values), 0, 1) == mean_interval(values, 0, 1)


def test_shifted_scaled_and_mirrored_values() -> None:
    values = np.random.default_rng(5).random(80) ** 3
    low, high = mean_interval(values, 0, 1)
    assert mean_interval(3 * values - 2, -2, 1) == pytest.approx((3 * low - 2, 3 * high - 2), abs=1e-9)
    assert mean_interval(-values, -1, 0) == pytest.approx((-high, -low), abs=1e-9)


def test_degenerate_values() -> None:
    """Equal values leave what their number leaves; a range of one point leaves nothing."""
    low, high = mean_interval(np.zeros(60), 0, 2)
    assert (low, high) == pytest.approx((0, 2 * (1 - 0.025 ** (1 / 60))))
    low, high = mean_interval(np.full(60, 0.25), 0, 1)
    assert 0.15 < low < 0.25 < high < 0.4
    assert mean_interval([0.5], 0, 1) == pytest.approx((0.0125, 0.9875))  # x U, x + (1 - x) U, U uniform
    assert mean_interval([0.5, 0.5], 0.5, 0.5) == (0.5, 0.5)


def test_rounding_errors_move_the_end_and_more_is_refused() -> None:
    assert mean_interval([-1e-13, 0.5], 0, 1) == pytest.approx(mean_interval([0.0, 0.5], 0, 1))
    for values in ([-1e-3, 0.5], [0.5, 1.1], [math.nan], []):
        with pytest.raises(InputError, match="values"):
            mean_interval(values, 0, 1)
    with pytest.raises(InputError, match="low, high"):
        mean_interval([0.5], 1, 0)
