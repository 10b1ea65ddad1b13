"""Settings that stand for other processors: kernels of OpenBLAS, numpy and the C library, numba's target.

Several are changed at once: where no number depends on any of them, it depends on no combination either.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
_UMATH = np._core._multiarray_umath
_VECTORS = " ".join(name for name in _UMATH.__cpu_dispatch__ if _UMATH.__cpu_features__.get(name))

PROCESSORS = {
    "an old one": {
        "OPENBLAS_CORETYPE": "Prescott",
        "NPY_DISABLE_CPU_FEATURES": _VECTORS,
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4",
    },
    "one without fused operations": {"OPENBLAS_CORETYPE": "Sandybridge"},
    "any that numba knows": {
        "OPENBLAS_CORETYPE": "Nehalem",
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
    },
}
_SETTINGS = set().union(*PROCESSORS.values())


def output(arguments: list[str], processor: str = "") -> str:
    """What a Python program prints on such a processor; on this one as it is without a name."""
    inherited = {key: value for key, value in os.environ.items() if key not in _SETTINGS}
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        cwd=ROOT,
        env={**inherited, "PYTHONPATH": str(ROOT), **(PROCESSORS[processor] if processor else {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
