"""Compiled code is kept between processes, and thrown away as soon as any of its sources changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import stackel_bench.kernel

CALLER = """
from stackel_bench.inner.callee import add
from stackel_bench.kernel import kernel

@kernel
def call(x: int) -> int:
    return add(x)
"""
CALLEE = """
from stackel_bench.kernel import kernel
from stackel_bench.inner import constants
from stackel_bench.inner.constants import (
    STEP,
)

@kernel(error_model="numpy")
def add(x: int) -> int:
    return x + STEP
"""
PROGRAM = """
from stackel_bench.caller import call
print(call(10), sum(call.stats.cache_hits.values()), call.stats.cache_path)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The real decorator in a package of three files: a kernel calls a kernel, which reads a constant."""
    folder = tmp_path / "stackel_bench"
    (folder / "inner").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "inner" / "__init__.py").touch()
    shutil.copy(stackel_bench.kernel.__file__, folder)
    (folder / "caller.py").write_text(CALLER)
    (folder / "inner" / "callee.py").write_text(CALLEE)
    (folder / "inner" / "constants.py").write_text("STEP = 1\n")
    return folder


def start(package: Path, **settings: str) -> subprocess.Popen[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "XDG"))}
    environment |= {"PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1", **settings}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=package.parent,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answer(process: subprocess.Popen[str]) -> tuple[int, int, str]:
    """(what the caller returned, how often machine code was read from disk, the folder it is kept in)."""
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    value, hits, place = output.split()
    return int(value), int(hits), place


def test_a_caller_sees_every_change_below_it(package: Path) -> None:
    kept = str(package / "__pycache__")
    assert answer(start(package)) == (11, 0, kept)
    assert answer(start(package)) == (11, 1, kept)
    (package / "inner" / "callee.py").write_text(CALLEE.replace("x + STEP", "x - STEP"))
    assert answer(start(package)) == (9, 0, kept)
    (package / "inner" / "constants.py").write_text("STEP = 2\n")
    assert answer(start(package)) == (8, 0, kept)
    assert answer(start(package)) == (8, 1, kept)


def test_processes_share_a_folder_and_another_processor_compiles_for_itself(
    package: Path, tmp_path: Path
) -> None:
    settings = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    assert {answer(process)[0] for process in [start(package, **settings) for _ in range(3)]} == {11}
    assert answer(start(package, **settings))[:2] == (11, 1)
    generic = settings | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    assert [answer(start(package, **generic))[:2] for _ in range(2)] == [(11, 0), (11, 1)]


def test_folders_that_cannot_be_written(package: Path, tmp_path: Path) -> None:
    """An installed package may be read-only: then the user's own cache is taken, and without one none."""
    for folder in (package, package / "inner"):
        (folder / "__pycache__").touch()  # a file in the way, which stops root as well
    home = tmp_path / "home"
    for hits in (0, 1):
        value, found, place = answer(start(package, HOME=str(home)))
        assert (value, found) == (11, hits)
        assert place.startswith(str(home))
    (tmp_path / "no home").touch()
    assert answer(start(package, HOME=str(tmp_path / "no home"))) == (11, 0, "None")
