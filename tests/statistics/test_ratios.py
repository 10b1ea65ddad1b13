"""Ratios of samples needed: exact on endless replicates, and intervals that cover by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from stackel_bench.statistics.crossing import samples_needed_from_counts
from stackel_bench.statistics.ratios import (
    LogInterval,
    Pooled,
    averaged,
    log_mean,
    log_needed_all,
    log_ratio,
    pool,
    rank_intervals,
)

DELTA = 0.05
BUDGETS = np.geomspace(100, 100 * 4**7, 8)
FALSE_ALARM = 1e-6  # of each test below that simulates


def most_misses(runs: int, rate: float = 0.05) -> int:
    """More misses than this happen with probability FALSE_ALARM, if the interval is as good as it says."""
    return int(binom.isf(FALSE_ALARM, runs, rate))


def log_needed(budgets: np.ndarray, failures: np.ndarray, trials: int, delta: float) -> LogInterval:
    return log_needed_all([budgets], [failures], [trials], [delta])[0]


def curve(middle: float, slope: float) -> np.ndarray:
    """Failure probabilities whose log odds are linear in ln n and equal delta's at the middle."""
    return np.asarray(expit(math.log(DELTA / (1 - DELTA)) - slope * (np.log(BUDGETS) - math.log(middle))))


@pytest.mark.parametrize("slope", [0.5, 3.0])
@pytest.mark.parametrize("middle", [300.0, 5000.0, 90_000.0])
def test_endless_replicates_give_the_crossing(middle: float, slope: float) -> None:
    trials = 10**9
    found = log_needed(BUDGETS, np.rint(curve(middle, slope) * trials), trials, DELTA)
    assert found.low <= found.estimate <= found.high
    assert found.high - found.low < 0.01
    assert found.estimate == pytest.approx(math.log(middle), abs=1e-3)


def test_the_estimate_is_the_one_of_the_column() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        failures = rng.binomial(60, curve(float(rng.uniform(100, 1e6)), float(rng.uniform(0.3, 3))))
        column = samples_needed_from_counts(BUDGETS, failures, 60, DELTA)
        found = log_needed(BUDGETS, failures, 60, DELTA)
        assert found.low <= found.estimate <= found.high or not found.is_closed
        assert (found.estimate == math.inf) == column.censored
        if found.is_closed:
            assert math.exp(found.estimate) == pytest.approx(column.estimate)


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [((3000, 1.5), (9000, 1.5), False), ((3000, 4.0), (3000, 0.4), False), ((3000, 1.0), (5000, 1.0), True)],
)
def test_ratios_cover(first: tuple[float, float], second: tuple[float, float], shared: bool) -> None:
    """Steep and flat curves, apart and on the same samples; a nested ladder within each replicate."""
    runs, trials, rng = 600, 200, np.random.default_rng(1)
    truth = math.log(second[0] / first[0])
    misses = 0
    for _ in range(runs):
        thresholds = [rng.random(trials) for _ in range(2)]
        if shared:
            thresholds[1] = thresholds[0]
        failures = [
            (draws[:, None] < curve(*shape)).sum(axis=0)
            for draws, shape in zip(thresholds, (first, second), strict=True)
        ]
        a, b = (log_needed(BUDGETS, counts, trials, DELTA) for counts in failures)
        found = log_ratio(a, b)
        misses += not found.low <= truth <= found.high
    assert misses <= most_misses(runs)


def test_limits_stay_limits() -> None:
    never, always = np.zeros(8), np.full(8, 200)
    good, bad = (log_needed(BUDGETS, counts, 200, DELTA) for counts in (never, always))
    assert (good.estimate, good.high) == (-math.inf, math.log(BUDGETS[0]))
    assert (bad.estimate, bad.low) == (math.inf, pytest.approx(math.log(BUDGETS[-1])))
    found = pool([log_ratio(good, bad)])
    assert found.low == pytest.approx(4**7)
    assert found.high == math.inf
    assert found.side == 1
    turned = pool([log_ratio(bad, good)])
    assert turned.side == -1
    assert not pool([log_ratio(bad, bad)]).is_known
    closed = LogInterval(0.0, -0.1, 0.1)
    mixed = pool([closed, closed, log_ratio(good, bad)])
    assert mixed.high == math.inf  # one game has no upper limit, so their mean has none


def test_one_game_keeps_its_interval_and_several_count_games() -> None:
    ratios = [LogInterval(value, value - 0.2, value + 0.4) for value in (0.0, 1.0, 2.0)]
    alone = pool(ratios[:1])
    assert (alone.ratio, alone.low, alone.high) == pytest.approx((1, math.exp(-0.2), math.exp(0.4)))
    assert averaged(ratios[:2]).low == pytest.approx(0.5 - 0.2 / math.sqrt(2))
    several = pool(ratios)
    assert several.ratio == pytest.approx(math.e)
    same = pool([LogInterval(1.0, 0.0, 2.0)] * 4)  # games that agree do not make replicates exact
    assert math.log(same.high) == pytest.approx(1.5)
    assert math.log(several.high) - 1 == pytest.approx(4.303 / math.sqrt(3), rel=1e-3)  # t, 2 degrees


def test_pooled_ratios_cover_the_mean_over_games() -> None:
    runs, rng = 2000, np.random.default_rng(2)
    misses = 0
    for _ in range(runs):
        logs = rng.normal(0.3, 0.5, 6)
        found = pool([LogInterval(value, value - 1, value + 1) for value in logs])
        misses += not found.low <= math.exp(0.3) <= found.high
    assert misses <= most_misses(runs)


def test_mean_samples_cover() -> None:
    runs, rng = 2000, np.random.default_rng(3)
    found = [log_mean(rng.gamma(4.0, 100.0, 100)) for _ in range(runs)]
    misses = sum(not each.low <= math.log(400) <= each.high for each in found)
    assert misses <= most_misses(runs, 0.06)  # Student's interval on a skewed law is approximate


def test_ranks_of_equals_stay_open_and_those_of_others_close() -> None:
    """All ranks are right together in 95 %: six pairs of four equal learners, each at 1 - 0.05/6."""
    names, runs, rng = ("a", "b", "c", "d"), 300, np.random.default_rng(4)
    wrong = 0
    for _ in range(runs):
        logs = {name: rng.normal(0.0, 1.0, 8) for name in names}
        ratios = {}
        for i, first in enumerate(names):
            for second in names[i + 1 :]:
                each = [LogInterval(value, value, value) for value in logs[second] - logs[first]]
                ratios[first, second] = pool(each, 1 - 0.05 / 6)
        wrong += any(interval != (1, 4) for interval in rank_intervals(names, ratios).values())
    assert wrong <= most_misses(runs)
    clear = {
        ("a", "b"): Pooled(2, 1.5, 3, 5),
        ("a", "c"): Pooled(4, 3, 6, 5),
        ("b", "c"): Pooled(2, 0.9, 4, 5),
    }
    assert rank_intervals("abc", clear) == {"a": (1, 1), "b": (2, 3), "c": (2, 3)}
