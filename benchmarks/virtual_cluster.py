"""The real driver on a cluster that is only a clock: 10 to 1,000 workers, nodes that are lost on the way.

Usage: python benchmarks/virtual_cluster.py [WORKERS ...], default 10 100 300 1000. Scheduler, journal and
tables are the real ones, and the processor time that they take counts. Tasks compute real results, outside
the clock; what that took, times a factor, is how long they keep a virtual worker busy.
"""

from __future__ import annotations

import dataclasses
import gc
import heapq
import itertools
import random
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stackel_bench.execution.executor import Executor, Finished, SerialExecutor, Task
from stackel_bench.results.journal import Journal
from stackel_bench.sweeps.driver import Tally, run_cells
from stackel_bench.sweeps.plan import Plan, make_plan

_MOST_AT_ONCE = 64  # as on Ray
SLOWER = 1000.0  # than this machine: small trials stand for tasks of seconds
TASKS_PER_WORKER = 10
OVERRIDES = [
    "game=bandit/random",
    "budget=fixed",
    "budget.samples=10000",
    "tie_breaking=pessimistic,optimistic",
    "replicates=64",
    "tracking=off",
    "execution.fan_out=auto",
]


@dataclass(eq=False)
class _VirtualTask:
    value: Any
    seconds: float
    worker: int = -1
    end: float = 0.0


class VirtualCluster(SerialExecutor):
    """An executor whose workers are numbers; `losses` are the moments at which one of them is lost."""

    place = "on a virtual cluster"

    def __init__(self, workers: int, slower: float = SLOWER, losses: Sequence[float] = ()) -> None:
        self._slower = slower
        self._free = [(0.0, worker) for worker in range(workers)]  # when each one is free: a heap
        self._running: list[tuple[float, int, _VirtualTask]] = []  # by end: a heap
        self._losses = sorted(losses, reverse=True)
        self._numbers = itertools.count()
        self._random = random.Random(0)
        self._jumped = 0.0  # over what nobody had to wait for
        self._started = time.process_time()
        self.lost_tasks = 0
        self.longest = 0.0  # task so far

    @property
    def workers(self) -> int:  # type: ignore[override]
        """How many are left."""
        return len(self._free)

    def clock(self) -> float:
        """The driver's own seconds, and those that it waited for tasks."""
        return time.process_time() - self._started + self._jumped

    def submit(self, name: str, function: Callable[..., Any], *arguments: Any) -> Task:
        """Compute the result while the clock stands still; the first worker that is free gets the task."""
        gc.disable()  # the driver's garbage is no part of a task
        start = time.process_time()
        value = function(*map(self.value, arguments))
        seconds = time.process_time() - start
        gc.enable()
        self._jumped -= seconds
        self.longest = max(self.longest, seconds * self._slower)
        task = _VirtualTask(value, seconds * self._slower)
        self._place(task)
        return task

    def _place(self, task: _VirtualTask) -> None:
        free, task.worker = heapq.heappop(self._free)
        task.end = max(free, self.clock()) + task.seconds
        heapq.heappush(self._free, (task.end, task.worker))
        heapq.heappush(self._running, (task.end, next(self._numbers), task))

    def next_finished(self, tasks: Collection[Task]) -> list[Finished]:
        """Jump to the next end of a task, by way of the losses until then; all tasks that have ended."""
        while self._losses and self._losses[-1] <= max(self._running[0][0], self.clock()):
            self._lose(self._losses.pop())
        self._jumped += max(0.0, self._running[0][0] - self.clock())
        ended = []
        while self._running and self._running[0][0] <= self.clock() and len(ended) < _MOST_AT_ONCE:
            _, _, task = heapq.heappop(self._running)
            ended.append(Finished(task, task.seconds))
        return ended

    def _lose(self, moment: float) -> None:
        """A worker is gone; what it had not finished starts again on others."""
        self._jumped += max(0.0, moment - self.clock())
        if len(self._free) == 1:
            return
        _, lost = self._free.pop(self._random.randrange(len(self._free)))
        heapq.heapify(self._free)
        again = [task for _, _, task in self._running if task.worker == lost]
        self._running = [entry for entry in self._running if entry[2].worker != lost]
        heapq.heapify(self._running)
        self.lost_tasks += len(again)
        for task in again:
            self._place(task)

    def value(self, task: Task) -> Any:
        """What the task returned; a plain value is itself."""
        return task.value if isinstance(task, _VirtualTask) else task


class Nobody:
    """A listener that asks for nothing."""

    def work_done(self, *_: object) -> None:
        """Not shown."""

    def run_grew(self, *_: object) -> None:
        """Not shown."""

    def cells_done(self, *_: object) -> None:
        """Not shown."""


def drive(cluster: Executor, plan: Plan, folder: Path) -> Tally:
    """All cells by the driver of every sweep; what is known of their games is not asked."""
    nameless = dataclasses.replace(plan, cells=())
    return run_cells(nameless, plan.cells, cluster, Journal(folder), None, Nobody())


def row(workers: int, losing: float) -> str:
    """One line of the table; so many workers are lost, as a share."""
    trials = max(200, workers * TASKS_PER_WORKER)
    plan = make_plan([*OVERRIDES, f"game.instance_seed=range(0,{trials})"])
    with tempfile.TemporaryDirectory() as folder:
        expected = trials / workers * 3.0
        losses = [expected * k / (losing * workers) for k in range(int(losing * workers))]
        cluster = VirtualCluster(workers, losses=losses)
        start = time.process_time() - cluster.clock()
        tally = drive(cluster, plan, Path(folder))
        driver = time.process_time() - start - tally.busy_seconds / SLOWER
        assert tally.finished == 2 * trials
    utilisation = tally.busy_seconds / tally.capacity_seconds
    task = tally.busy_seconds / tally.tasks
    per_task = driver / tally.tasks
    return (
        f"| {workers} | {len(losses)} ({cluster.lost_tasks} tasks again) | {tally.tasks} "
        f"| {task:.1f}, {cluster.longest:.1f} | {tally.wall_seconds:.0f} | {utilisation:.0%} "
        f"| {1000 * per_task:.1f} | {task / per_task:.0f} |"
    )


def main() -> None:
    """Print the table of benchmarks/README.md."""
    titles = "workers | lost | tasks | s a task, longest | in all | busy | driver, ms a task | most workers"
    print(f"| {titles} |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:  # compiled code is loaded before any clock runs
        drive(SerialExecutor(), make_plan(OVERRIDES), Path(folder))
    for workers in map(int, sys.argv[1:] or ("10", "100", "300", "1000")):
        for losing in (0.0, 0.2):
            print(row(workers, losing), flush=True)


if __name__ == "__main__":
    main()
