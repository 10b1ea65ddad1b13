"""Samples used by learners that stop by themselves."""

from __future__ import annotations

import numpy as np
import pytest

from stackel_bench.errors import InputError
from stackel_bench.statistics.samples_used import SamplesUsed, samples_used


def test_mean_median_and_quantile() -> None:
    assert samples_used(np.arange(11)[::-1]) == SamplesUsed(mean=5.0, median=5.0, q90=9.0)
    assert samples_used([7]) == SamplesUsed(mean=7.0, median=7.0, q90=7.0)


def test_order_does_not_matter_to_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    values = rng.random(1000) * 10.0 ** rng.integers(0, 9, 1000)
    assert samples_used(values) == samples_used(rng.permutation(values))


@pytest.mark.parametrize("samples", [[], [[1.0]], [np.inf]])
def test_mistakes_are_named(samples: list) -> None:
    with pytest.raises(InputError, match="samples"):
        samples_used(samples)
