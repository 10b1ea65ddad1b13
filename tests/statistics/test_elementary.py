"""exp and log from basic operations, against the C library."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stackel_bench.statistics.elementary import exp, log


def test_exp_is_within_two_units_in_the_last_place() -> None:
    rng = np.random.default_rng(0)
    for x in np.concatenate(
        [rng.uniform(-700, 700, 5000), rng.normal(size=5000), 1e-9 * rng.normal(size=100)]
    ):
        assert abs(exp(x) - math.exp(x)) <= 2 * math.ulp(math.exp(x))


def test_log_is_within_two_units_in_the_last_place() -> None:
    rng = np.random.default_rng(1)
    near_one = 1 + 1e-3 * rng.normal(size=5000)
    for x in np.concatenate([np.exp(rng.uniform(-700, 700, 5000)), near_one, [1.0, 0.5, 2.0, 5e-324]]):
        assert abs(log(x) - math.log(x)) <= 2 * math.ulp(math.log(x))


def test_ends() -> None:
    assert log(0.0) == -math.inf
    assert (exp(0.0), log(1.0)) == (1.0, 0.0)
    assert (exp(-800.0), exp(800.0)) == (0.0, math.inf)
    assert exp(log(7.0)) == pytest.approx(7.0, rel=1e-15)
