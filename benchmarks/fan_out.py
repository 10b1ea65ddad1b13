"""One bandit-RL cell on one and on two workers of a private Ray cluster: speed-up, tasks, overhead.

Wall time is that of the cells, after Ray has started, as summary.json has it; runs alternate, and the numbers
must be the same bytes. Run by hand on quiet cores: `python -m benchmarks.fan_out`.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.sweeps import commands

CELL = ["run", "game=bandit_rl/taxation", "budget.epsilon=0.5", "replicates=60", "budget=ladder"]
CELL += ["budget.samples=10000000", "budget.rungs=5", "budget.ratio=10", "tracking=off"]
REPEATS = 7


def main() -> None:
    seconds: dict[int, list[float]] = {1: [], 2: []}
    tasks, overhead, found = {}, {}, set()
    with tempfile.TemporaryDirectory() as name:
        for repeat in range(REPEATS):
            for workers in seconds:
                output = Path(name) / f"{repeat}-{workers}"
                output.mkdir()
                arguments = [*CELL, f"execution.num_cpus={workers}", f"output={output}"]
                with commands.running(commands.started(arguments, output)) as driver:
                    assert driver.wait(600).code == 0
                summary = json.loads((commands.sweep_folder(output) / "summary.json").read_text("utf-8"))
                done = summary["invocation"]
                seconds[workers].append(done["wall_seconds"])
                tasks[workers], overhead[workers] = done["tasks"], done["overhead"]
                found.add(tuple(sorted(commands.results(output).items())))
    ratio = statistics.median(one / two for one, two in zip(seconds[1], seconds[2], strict=True))
    print("| workers | wall seconds, median | tasks | overhead |\n|---|---|---|---|")
    for workers, taken in seconds.items():
        print(f"| {workers} | {statistics.median(taken):.1f} | {tasks[workers]} | {overhead[workers]:.0%} |")
    print(f"\nTwo independent processes of this machine do {ceiling():.2f} times the work of one.")
    print(f"Speed-up of two workers: {ratio:.2f} (median of {REPEATS}); equal bytes: {len(found) == 1}")


def ceiling() -> float:
    """What two cores of this machine can give at all: a plain loop, once and twice at the same time."""
    loop = [sys.executable, "-c", "x = 0\nfor i in range(20_000_000): x += i"]

    def seconds(processes: int) -> float:
        start = time.perf_counter()
        for process in [subprocess.Popen(loop) for _ in range(processes)]:
            process.wait()
        return time.perf_counter() - start

    return 2 * min(seconds(1) for _ in range(3)) / min(seconds(2) for _ in range(3))


if __name__ == "__main__":
    main()
