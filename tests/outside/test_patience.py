"""Code that hangs is interrupted; where it hears no signal, a process that is expendable ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from stackel_bench.outside.patience import TooLongError, in_time

DEAF = """
import itertools
from stackel_bench.outside import patience
patience.expendable = True
with patience.in_time(0.1):
    sum(itertools.repeat(1))  # compiled, and looks at no signal
"""


def endless() -> None:
    while True:
        pass


def test_python_code_and_sleeps_are_interrupted_and_the_usual_handler_comes_back() -> None:
    usual = signal.getsignal(signal.SIGALRM)
    with pytest.raises(TooLongError), in_time(0.05):
        time.sleep(60)
    with pytest.raises(TooLongError), in_time(0.05):
        endless()
    with in_time(0.2) as again:
        for _ in range(10):
            again()
            time.sleep(0.05)
    assert signal.getsignal(signal.SIGALRM) is usual


def test_an_expendable_process_that_is_deaf_ends() -> None:
    ended = subprocess.run([sys.executable, "-c", DEAF], timeout=120, check=False)
    assert ended.returncode == -signal.SIGPROF
