"""Schedulers that are watched: what they were handed, what they kept, what came out of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

import numpy as np

from stackel_bench.execution.events import Result
from stackel_bench.execution.executor import Finished, SerialExecutor, Task
from stackel_bench.execution.scheduler import Scheduler
from stackel_bench.trials.encoding import encode
from stackel_bench.trials.trial import Trial
from tests.execution.small_trials import numbers


class WatchedExecutor(SerialExecutor):
    """Runs tasks in random order and keeps count of what is in flight and of what was started."""

    def __init__(self, workers: int = 1, seed: int = 0) -> None:
        self.workers = workers
        self.rng = np.random.default_rng(seed)
        self.most_in_flight = 0
        self.stored: Counter[int] = Counter()
        self.names: list[str] = []

    def put(self, value: Any) -> Task:
        self.stored[id(value)] += 1
        return super().put(value)

    def submit(self, name: str, function: Any, *arguments: Any) -> Task:
        self.names.append(name)
        return super().submit(name, function, *arguments)

    def next_finished(self, tasks: Collection[Task]) -> list[Finished]:
        """One or several of them."""
        self.most_in_flight = max(self.most_in_flight, len(tasks))
        chosen = self.rng.permutation(len(tasks))[: self.rng.integers(1, 3)]
        finished = super().next_finished
        return [ended for i in chosen for ended in finished([list(tasks)[i]])]


class MemoryKeeper:
    """Keeps pieces in memory; optionally only some of them, as a driver that was killed."""

    def __init__(self) -> None:
        self.pieces: dict[int, dict[str, bytes]] = {}

    def keep(self, trial: int, piece: str, content: bytes) -> None:
        self.pieces.setdefault(trial, {})[piece] = content

    def kept(self, trial: int) -> dict[str, bytes]:
        return dict(self.pieces.get(trial, {}))


def results(trials: list[Trial], scheduler: Scheduler) -> list[Result]:
    """Results by trial; every trial is heard of exactly once."""
    found = {}
    for events in scheduler.run(trials):
        for event in (event for event in events if isinstance(event, Result)):
            assert event.trial not in found
            assert event.busy_seconds >= 0
            assert event.wall_seconds >= 0
            found[event.trial] = event
    return [found[index] for index in range(len(trials))]


def run(trials: list[Trial], executor: Any, fan_out: str | None, batch_seconds: float) -> list[Any]:
    scheduler = Scheduler(executor, batch_seconds, fan_out, MemoryKeeper())
    return [numbers(result.outcomes) for result in results(trials, scheduler)]


def encoded_size(value: object) -> int:
    return int.from_bytes(encode(value)[:8], "big")
