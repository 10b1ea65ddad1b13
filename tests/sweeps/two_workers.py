"""A cluster of two workers by address, for tests of several folders."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sweeps import commands


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The process that holds a cluster of two workers; its first line is the address."""
    with (tmp_path / "cluster.err").open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.sweeps.ray_cluster"],
            cwd=commands.ROOT,
            env={**os.environ, "PYTHONPATH": str(commands.ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.communicate("stop\n", timeout=commands.SECONDS)
        for pid in commands.session_members(process.pid):
            os.kill(pid, signal.SIGKILL)
