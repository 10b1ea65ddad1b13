"""Statistics on records that were made up, so that the right answer is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from stackel_bench.claims.cell_statistics import (
    failure_rate,
    mean_value,
    needed_ratio,
    needed_samples,
    paired_difference,
    rate_interval,
    sample_ratio,
)
from stackel_bench.claims.evidence import CellEvidence, NotMeasurableError
from stackel_bench.claims.exponent import exponent
from stackel_bench.claims.prediction import Prediction
from stackel_bench.errors import InputError
from tests.claims.synthetic import cell

AT_MOST_DELTA = Prediction(-math.inf, 0.05)
AT_LEAST_THIRD = Prediction(1 / 3, math.inf)


def runs(failures: int, trials: int) -> np.ndarray:
    return np.arange(trials) < failures


@pytest.mark.parametrize(("failures", "trials"), [(0, 60), (3, 60), (60, 60), (151, 300)])
def test_intervals_are_those_of_clopper_and_pearson(failures: int, trials: int) -> None:
    expected = binomtest(failures, trials).proportion_ci(0.9999, "exact")
    assert rate_interval(failures, trials, 1e-4) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_rates_are_judged_in_every_cell_and_the_tightest_is_shown() -> None:
    cells = [cell(runs(0, 300), settings={"k": 1.0}), cell(runs(2, 300), settings={"k": 2.0})]
    found = failure_rate(cells, AT_MOST_DELTA, 1e-4)
    assert found.value == pytest.approx(2 / 300)
    assert found.verdict == "inconclusive"
    assert failure_rate(cells[:1], AT_MOST_DELTA, 1e-4).verdict == "confirmed"
    broken = [*cells, cell(runs(150, 300), settings={"k": 3.0})]
    assert failure_rate(broken, AT_MOST_DELTA, 1e-4).verdict == "refuted"


def test_of_a_family_only_the_worst_game_counts() -> None:
    pair = [cell(runs(0, 500), settings={"sign": 1.0}), cell(runs(450, 500), settings={"sign": -1.0})]
    assert failure_rate(pair, AT_LEAST_THIRD, 1e-4, worst_over=["game.sign"]).verdict == "confirmed"
    assert failure_rate(pair, AT_LEAST_THIRD, 1e-4).verdict == "refuted"


def test_events() -> None:
    one = cell(runs(30, 100))  # a failure loses 0.5, the gap is 0.1, epsilon 0.1
    assert one.failures("error", 0.5).sum() == 30
    assert one.failures("loss", 1.0).sum() == 30
    assert one.failures("loss", 4.0).sum() == 0  # 0.1 + 4 * 0.1 = 0.5 is allowed, at equality
    with pytest.raises(InputError, match="event"):
        one.failures("luck")


def _ladder(size: float, power: float, replicates: int = 400, seed: int = 0) -> CellEvidence:
    """Runs that succeed from threshold * size^power samples on, thresholds random."""
    rng = np.random.default_rng(seed + int(1000 * size))
    thresholds = 50 * size**power * rng.lognormal(0.0, 0.7, size=replicates)
    samples = 10.0 * 2.0 ** np.arange(16)
    return cell(samples[None, :] < thresholds[:, None], samples=samples, settings={"size": size})


@pytest.mark.parametrize("power", [-2.0, 1.0])
def test_exponents_are_recovered(power: float) -> None:
    """The interval covers the truth at 1 - 1e-4 and, with twelve sizes, is not wide."""
    cells = [_ladder(size, power, seed=k) for k, size in enumerate(np.geomspace(0.25, 4.0, 12))]
    found = exponent(cells, Prediction(power - 0.4, power + 0.4), 1e-4, against="game.size")
    assert found.low < power < found.high
    assert found.high - found.low < 0.6
    assert found.value == pytest.approx(power, abs=0.2)


def test_a_union_of_normal_errors_is_what_rows_beside_the_best_need() -> None:
    """x - 1 rows fail independently at Q(sqrt(n/x)), at n = x z^2 one of them in a run of ten."""
    cells = []
    for size in np.geomspace(4, 128, 12).round():
        samples = size * 2.0 ** np.arange(-3.0, 5.0)
        rates = -np.expm1((size - 1) * np.log1p(-norm.sf(np.sqrt(samples / size))))
        failed = np.random.default_rng(int(size)).random((2000, 8)) < rates
        cells.append(cell(failed, samples=samples, settings={"size": size}))
    rest: dict[str, Any] = {"against": "game.size", "per": "union", "level": 0.1}
    found = exponent(cells, Prediction(-0.1, 0.1), 1e-4, **rest)
    assert found.low < 0 < found.high
    assert found.high - found.low < 0.3
    steeper = exponent(cells, Prediction(-0.1, 0.1), 1e-4, **(rest | {"per": "one"}))
    assert steeper.low > 1


def test_few_sizes_cannot_confirm_an_exponent() -> None:
    """Four cells leave two degrees of freedom: at 1 - 1e-4 the interval says next to nothing."""
    cells = [_ladder(size, 1.0) for size in (1.0, 2.0, 4.0, 8.0)]
    found = exponent(cells, Prediction(0.6, 1.4), 1e-4, against="game.size")
    assert found.low < 0.6 < 1.4 < found.high


def test_exponents_without_crossings_are_not_measurable() -> None:
    samples = np.array([1.0, 2.0, 4.0, 8.0])
    stuck = [cell(np.ones((50, 4)), samples=samples, settings={"size": size}) for size in (1.0, 2.0, 4.0)]
    with pytest.raises(NotMeasurableError, match=r"crosses 0\.1: .* the last ones at 1 to 1"):
        exponent(stuck, Prediction(0, 1), 1e-4, against="game.size")
    with pytest.raises(NotMeasurableError, match="2 cells of 2 sizes are too few"):
        exponent(stuck[:2], Prediction(0, 1), 1e-4, against="game.size")


def test_exponents_of_errors() -> None:
    sizes = (1.0, 1.5, 2.0, 3.0, 4.0)
    rng = np.random.default_rng(0)
    cells = [
        cell(
            runs(0, 50),
            samples=np.array([100.0]),
            settings={"size": size},
            columns={"diagnostic_uniform_error": np.abs(size * rng.normal(1, 0.05, 50))},
        )
        for size in sizes
    ]
    errors = exponent(cells, Prediction(0, 3), 1e-4, against="game.size", needs="uniform_error")
    assert errors.low < 2.0 < errors.high
    with pytest.raises(InputError, match="differs"):
        exponent(cells[:1], Prediction(0, 3), 1e-4, against="game.size")
    with pytest.raises(InputError, match="needs"):
        exponent(cells, Prediction(0, 3), 1e-4, against="game.size", needs="x")


def test_needed_samples_in_units_of_the_theorem() -> None:
    one = _ladder(1.0, 1.0)
    median = needed_samples([one], Prediction(0, 1), 1e-4, unit="theory", level=0.5)
    assert median.low < 50 / 1000 < median.high
    pairs = needed_samples([one], Prediction(0, 1), 1e-4, unit="pairs_per_squared_epsilon", level=0.5)
    assert pairs.value == pytest.approx(median.value * 1000 / (6 / 0.1**2))


def test_open_intervals_of_samples_needed() -> None:
    """Always failing refutes a smaller number and leaves a larger one open; never failing the other way."""
    samples = np.array([100.0, 200.0, 400.0, 800.0])
    stuck, easy = (cell(np.full((400, 4), failed), samples=samples) for failed in (True, False))
    rest: dict[str, Any] = {"unit": "theory", "level": 0.5}  # the theorem asks for 1000 samples
    found = needed_samples([stuck], Prediction(-math.inf, 1.0), 1e-4, **rest)
    assert (found.low, found.high, found.verdict) == (0.8, math.inf, "inconclusive")
    assert found.note == "1 of 1 cells fail more often than 0.5 even with the largest budget"
    assert needed_samples([stuck], Prediction(-math.inf, 0.5), 1e-4, **rest).verdict == "refuted"
    assert needed_samples([stuck, easy], Prediction(0.5, math.inf), 1e-4, **rest).verdict == "refuted"
    assert needed_samples([stuck], Prediction(0.5, math.inf), 1e-4, **rest).verdict == "confirmed"
    found = needed_samples([easy], Prediction(-math.inf, 1.0), 1e-4, **rest)
    assert (found.low, found.high, found.verdict) == (0.0, 0.1, "confirmed")
    assert "never fail with the smallest budget" in found.note
    assert needed_samples([easy], Prediction(0.01, 1.0), 1e-4, **rest).verdict == "inconclusive"


def test_a_learner_that_stops_needs_what_it_uses() -> None:
    """Its mean over what the other one's ladder says; a stop that fails too often says nothing."""
    ladder = _ladder(1.0, 1.0)
    ladder.entry.config["algorithm"]["name"] = "paper"
    rest: dict[str, Any] = {"of": {"algorithm.name": "certified"}, "over": {"algorithm.name": "paper"}}
    used = np.random.default_rng(2).uniform(800, 1200, 400)
    stopping = cell(runs(0, 400), samples=used, settings={"size": 1.0}, algorithm="certified")
    found = needed_ratio([stopping, ladder], Prediction(-math.inf, 1.0), 1e-4, level=0.5, **rest)
    assert found.low < 1000 / 50 < found.high
    assert found.verdict == "refuted"
    assert found.note.startswith("at failure rate 0.5: trap ")
    hasty = cell(runs(300, 400), samples=used, settings={"size": 1.0}, algorithm="certified")
    with pytest.raises(NotMeasurableError, match=r"stops too early: it fails at rate 0\.75"):
        needed_ratio([hasty, ladder], Prediction(-math.inf, 1.0), 1e-4, level=0.5, **rest)


def test_diagnosed_events() -> None:
    """Values off by 0.01 or 0.02; epsilon is 0.1."""
    off = {
        "diagnostic_reward_error": np.array([0.01, 0.01, 0.02]),
    }
    one = cell(runs(0, 3), columns=off)
    assert one.failures("reward", 0.15).tolist() == [False, False, True]


def test_means_differences_and_ratios() -> None:
    rng = np.random.default_rng(1)
    noise = rng.uniform(-0.1, 0.1, size=400)
    optimum = {"largest_loss": np.full(400, 1.0)}
    left = cell(
        runs(0, 400),
        columns={"value": 0.8 + noise, "value_suboptimality": 0.2 - noise, **optimum},
        algorithm="margin",
    )
    right = cell(runs(0, 400), columns={"value": 0.3 + noise, "value_suboptimality": 0.7 - noise, **optimum})
    mean = mean_value([left], Prediction(0.5, 1.5), 1e-4, column="value")
    assert mean.low < 0.8 < mean.high
    assert mean_value([left], Prediction(0.5, 0.7), 1e-4, column="value").verdict == "refuted"
    moving = Prediction(0.5, 0.7, per_epsilon=0.2 / left.setting("budget.epsilon"))  # [0.7, 0.9] there
    assert mean_value([left], moving, 1e-4, column="value").verdict == "confirmed"
    difference = paired_difference(
        [left, right],
        Prediction(0.4, 0.6),
        1e-4,
        of={"algorithm.name": "margin"},
        minus={"algorithm.name": "paper"},
        column="value",
    )
    assert difference.value == pytest.approx(0.5)  # the noise is shared
    assert difference.verdict == "confirmed"
    adaptive = cell(runs(0, 400), samples=rng.uniform(10, 30, 400), algorithm="margin")
    ratio = sample_ratio(
        [adaptive, right],
        Prediction(0, 1),
        1e-4,
        of={"algorithm.name": "margin"},
        over={"algorithm.name": "paper"},
    )
    assert ratio.low < 0.2 < ratio.high
    with pytest.raises(InputError, match="cells to compare"):
        sample_ratio(
            [adaptive],
            Prediction(0, 1),
            1e-4,
            of={"algorithm.name": "margin"},
            over={"algorithm.name": "paper"},
        )
