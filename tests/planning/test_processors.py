"""Linear cells have the same bits whatever the processor: other instruction sets, each in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.planning.feature_families import FAMILIES

ROOT = Path(__file__).parent.parent.parent
FLAGS = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""

# What each asks the processor for; a core type that it does not have would end in an illegal instruction.
OTHERS = {
    "OPENBLAS_CORETYPE=Prescott": "sse3",
    "OPENBLAS_CORETYPE=Nehalem": "sse4_2",
    "OPENBLAS_CORETYPE=Sandybridge": "avx",
    "OPENBLAS_CORETYPE=Haswell": "avx2",
    "OPENBLAS_CORETYPE=SkylakeX": "avx512vl",
    "NPY_DISABLE_CPU_FEATURES=AVX2 FMA3 X86_V3 X86_V4": "avx2",
    "NUMBA_CPU_NAME=generic": "",
}


def _digests(features: Path, setting: str = "") -> dict[str, str]:
    key, _, value = setting.partition("=")
    others = {setting.partition("=")[0] for setting in OTHERS} | {"NUMBA_CPU_FEATURES"}
    environment = {name: text for name, text in os.environ.items() if name not in others}
    if setting:
        environment[key] = value
    if key == "NUMBA_CPU_NAME":
        environment["NUMBA_CPU_FEATURES"] = ""  # otherwise those of this processor
    command = [sys.executable, "-W", "ignore", "-m", "tests.planning.linear_digests", str(features)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Matrices of all families, made once: products that make them may differ between processors."""
    file = tmp_path_factory.mktemp("features") / "features.npz"
    matrices = {
        f"{family} {dimension}": make(np.random.default_rng(dimension), 2_000, dimension)
        for dimension in (2, 5, 20, 50)
        for family, make in FAMILIES.items()
    }
    matrices["scanned 50"] = np.random.default_rng(0).standard_normal((130_000, 50))
    np.savez(file, **matrices)
    return file


@pytest.fixture(scope="module")
def usual(features: Path) -> dict[str, str]:
    """The digests on this machine as it is."""
    return _digests(features)


@pytest.mark.parametrize("setting", OTHERS)
def test_equal_bits(setting: str, features: Path, usual: dict[str, str]) -> None:
    if OTHERS[setting] not in FLAGS:
        pytest.skip(f"this processor lacks {OTHERS[setting]}")
    found = _digests(features, setting)
    assert len(found) > 150
    assert {name for name in usual if usual[name] != found[name]} == set()
