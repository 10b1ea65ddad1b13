"""One long bandit-RL cell on Ray, its driver or a worker killed at random moments, until it is finished.

After every kill the pieces on disk are counted; a piece that was kept must never be computed twice, and the
finished cell must equal the undisturbed one byte by byte. By hand: `python -m benchmarks.kills [KILLS]`.
"""

from __future__ import annotations

import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.sweep import commands
from tests.sweep.test_long_cell import CELL, assert_explored_once, invocation, pieces

REPLICATES = 150


def main(kills: int) -> None:
    moments = random.Random(kills)
    arguments = ["run", *CELL, f"replicates={REPLICATES}", "execution.num_cpus=2"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = _finish([*arguments, f"output={folder / 'whole'}"], folder)
        expected = commands.results(folder / "whole")
        print(f"undisturbed: {whole} tasks\n")
        print("| kill | of | pieces kept | newly kept | repeated |\n|---|---|---|---|---|")
        output = folder / "killed"
        kept: dict[str, int] = {}
        for number in range(1, kills + 1):
            what = moments.choice(["driver", "driver", "worker and driver"])
            with commands.running(commands.started([*arguments, f"output={output}"], folder)) as driver:
                _wait_for_more(driver, output, len(kept), moments.randint(0, 8))
                if what != "driver":
                    _kill_worker(driver.pid)
                time.sleep(moments.uniform(0, 0.5))
                if driver.wait_for_code(0.001) is not None:
                    print(f"| {number} | finished before the kill | | | |")
                    break
                driver.send(signal.SIGKILL)
                driver.wait()
            now = pieces(output)
            repeated = sum(now.get(piece) != stamp for piece, stamp in kept.items())
            assert_explored_once(list(now)) if now else None
            print(f"| {number} | {what} | {len(now)} | {len(now) - len(kept)} | {repeated} |", flush=True)
            kept = now
        _finish([*arguments, f"output={output}"], folder)
        restored = invocation(output)["pieces_restored"]
        equal = commands.results(output) == expected
        print(f"\nfinished: {restored} of {len(kept)} kept pieces restored, bytes equal: {equal}")


def _finish(arguments: list[str], folder: Path) -> int:
    with commands.running(commands.started(arguments, folder)) as driver:
        assert driver.wait(600).code == 0
    output = Path(arguments[-1].removeprefix("output="))
    return invocation(output)["tasks"]


def _wait_for_more(driver: commands.Command, output: Path, kept: int, more: int) -> None:
    until = time.monotonic() + 120
    while len(pieces(output)) < kept + more and driver.wait_for_code(0.005) is None:
        assert time.monotonic() < until


def _kill_worker(session: int) -> None:
    for pid in commands.session_members(session):
        if commands.program(pid).startswith("ray::explore"):
            commands.kill(pid)
            return


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
