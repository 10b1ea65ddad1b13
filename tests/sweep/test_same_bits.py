"""The same bits on other processors: BLAS kernels, numpy's vector units and numba's target do not matter."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

NUMPY_WITHOUT_VECTORS = "AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
PROCESSORS = {
    "haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "sandybridge, no vectors in numpy": {
        "OPENBLAS_CORETYPE": "Sandybridge",
        "NPY_DISABLE_CPU_FEATURES": NUMPY_WITHOUT_VECTORS,
    },
    "generic": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "OPENBLAS_CORETYPE": "Prescott"},
}


def digests(environment: dict[str, str]) -> list[str]:
    # Features that this processor lacks cannot be switched off: numpy warns and goes on.
    program = [sys.executable, "-W", "ignore", "-m", "tests.sweep.bits"]
    ended = subprocess.run(
        program, env=os.environ | environment, capture_output=True, text=True, timeout=500, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()


@pytest.fixture(scope="module")
def here() -> list[str]:
    return digests({"OPENBLAS_NUM_THREADS": "1"})


@pytest.mark.xdist_group("bits")
@pytest.mark.parametrize("environment", PROCESSORS.values(), ids=PROCESSORS)
def test_every_processor_gives_the_same_bits(environment: dict[str, str], here: list[str]) -> None:
    assert len(here) > 25
    assert digests(environment) == here
