"""The same bits on other processors: settings that stand for them change no number of simultaneous games.

Core types choose the kernels of OpenBLAS, CPU features those of numpy, the CPU name what numba compiles for,
hardware capabilities those of the C library. Settings that this processor cannot run are left out.
"""

from __future__ import annotations

import functools
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
CORE_TYPES = ("Haswell", "SkylakeX", "Sandybridge", "Nehalem", "Prescott")
PRODUCT = "import numpy as np; a = np.random.default_rng(0).random((60, 60)); print((a @ a @ a[0]).tobytes())"


def settings() -> dict[str, dict[str, str]]:
    """Name and environment of each; the features are those that this numpy chooses among."""
    umath = np._core._multiarray_umath
    chosen = [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]
    return {
        **{f"openblas {core}": {"OPENBLAS_CORETYPE": core} for core in CORE_TYPES},
        "numpy baseline": {"NPY_DISABLE_CPU_FEATURES": " ".join(chosen)},
        "numba generic": {"NUMBA_CPU_NAME": "generic"},
        "libm without fma": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"},
    }


def run(arguments: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    known = set().union(*settings().values())
    inherited = {key: value for key, value in os.environ.items() if key not in known}
    return subprocess.run(
        [sys.executable, *arguments],
        env={**inherited, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )


@functools.cache
def lines(name: str) -> dict[str, str]:
    """The probe's digests by computation; `name` is a setting, or empty for this processor as it is."""
    found = run([str(ROOT / "tests" / "processor_probe.py")], settings()[name] if name else {})
    assert found.returncode == 0, found.stderr
    return dict(line.rsplit(": ", 1) for line in found.stdout.splitlines())


def runs_here(name: str) -> bool:
    """Whether a matrix product survives: OpenBLAS takes a core type at its word."""
    return run(["-c", PRODUCT], settings()[name]).returncode == 0


@pytest.mark.xdist_group("processors")
@pytest.mark.parametrize("name", settings())
def test_no_number_depends_on_the_processor(name: str) -> None:
    if not runs_here(name):
        pytest.skip("this processor lacks the instructions")
    usual, other = lines(""), lines(name)
    assert len(usual) > 200
    assert [key for key in usual if other[key] != usual[key]] == []
    assert usual.keys() == other.keys()


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="core types of other machines")
def test_core_types_do_change_the_bits_of_a_matrix_product() -> None:
    """Otherwise the test above could not fail."""
    products = {run(["-c", PRODUCT], settings()[f"openblas {core}"]).stdout for core in CORE_TYPES}
    assert len(products - {""}) >= 2
