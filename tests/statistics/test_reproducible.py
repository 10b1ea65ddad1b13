"""Numbers that are recorded have the same bits whatever the processor offers."""

from __future__ import annotations

import pytest

from tests.processors import PROCESSORS, output

SCRIPT = """
import numpy as np
from stackel_bench.statistics.binomial import binomial_interval
from stackel_bench.statistics.bounded_mean import mean_intervals
from stackel_bench.statistics.crossing import samples_needed
from stackel_bench.statistics.differences import mcnemar

rng = np.random.Generator(np.random.PCG64(1))
integers = rng.integers(0, 2**40, (400, 24))
values = integers / 2**40
values[:, :8] *= values[:, 8:16] < 0.03
for limits in (mean_intervals(values, 0, 1), binomial_interval(integers[:, 0] % 201, 200)):
    print(*(number.hex() for limit in limits for number in limit.tolist()))
for cell in range(50):
    failed = values[:200, 16:] < 2.0 ** -np.arange(8) * values[cell, 9] * 2
    needed = samples_needed(10.0 * 3.0 ** np.arange(8), failed, 0.05)
    print(needed.estimate.hex(), needed.low, needed.high, needed.censored, needed.at_most)
print(*(mcnemar(k, 9).hex() for k in range(9)))
"""


@pytest.fixture(scope="module")
def here() -> str:
    return output(["-c", SCRIPT])


@pytest.mark.parametrize("processor", PROCESSORS)
def test_the_bits_are_those_of_any_processor(here: str, processor: str) -> None:
    assert len(here) > 1000
    assert output(["-c", SCRIPT], processor) == here
