"""Numbers that are recorded have the same bits whatever the processor offers."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
from stackel_bench.statistics.binomial import binomial_interval
from stackel_bench.statistics.bounded_mean import mean_intervals
from stackel_bench.statistics.crossing import samples_needed
from stackel_bench.statistics.paired import mcnemar
from stackel_bench.statistics.samples_used import samples_used

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
used = samples_used(values[:, 0] * 1e6)
print(used.mean.hex(), used.median.hex(), used.q90.hex(), *(mcnemar(k, 9).hex() for k in range(9)))
"""

PROCESSORS = {
    "numpy without vectors": {"NPY_DISABLE_CPU_FEATURES": "{numpy}"},
    "numba for any processor": {"NUMBA_CPU_NAME": "generic"},
    "C library without FMA": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F"},
    "an old OpenBLAS": {"OPENBLAS_CORETYPE": "Nehalem"},
}


def features() -> str:
    """What this numpy can be told to do without, of what this processor has."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return " ".join(name for name in __cpu_dispatch__ if __cpu_features__[name])


def output(**variables: str) -> str:
    environment = {**os.environ, **variables}
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout


@pytest.fixture(scope="module")
def here() -> str:
    return output()


@pytest.mark.parametrize("processor", PROCESSORS)
def test_bits_do_not_depend_on_the_processor(processor: str, here: str) -> None:
    variables = {name: value.format(numpy=features()) for name, value in PROCESSORS[processor].items()}
    assert len(here.splitlines()) == 53
    assert output(**variables) == here
