"""Runs many trials on one executor: bounded work in flight, results in completion order."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from stackel_bench.execution.cost import CostModel
from stackel_bench.execution.executor import Executor, Finished, Task
from stackel_bench.execution.trial import (
    Failure,
    Outcomes,
    Trial,
    decide_block,
    explore_block,
    judge_decisions,
    judge_findings,
    run_bundle,
)

Result = tuple[int, Outcomes | Failure, float]  # index of the trial, what came of it, busy seconds


@dataclass
class _Progress:
    """The blocks of one trial that was cut up."""

    trial: Task  # the trial, stored once for all of its tasks
    blocks: list[Task | None]
    unit_blocks: int  # 0: blocks hold decisions; otherwise findings, cut in so many unit blocks
    seconds: float = 0.0
    failed: bool = False


@dataclass
class _Submitted:
    """What a task in flight is for."""

    trials: tuple[int, ...]
    scheduled_seconds: float
    block: int | None = None  # position among the trial's blocks; None: the task returns records
    bundle: bool = False


@dataclass
class Scheduler:
    """Yields results as trials finish; a trial is never run twice."""

    executor: Executor
    batch_seconds: float = 1.0
    tasks_per_worker: int = 3
    busy_seconds: float = 0.0
    capacity_seconds: float = 0.0  # what all workers together could have been busy, from start to end
    cost: CostModel = field(default_factory=CostModel)

    def run(self, trials: Sequence[Trial]) -> Iterator[Result]:
        """All trials, in completion order. Closing the iterator abandons what is in flight."""
        self._trials = trials
        self._waiting: deque[tuple[Any, tuple[Any, ...], _Submitted]] = deque()
        self._in_flight: dict[Task, _Submitted] = {}
        self._progress: dict[int, _Progress] = {}
        order = deque(range(len(trials)))
        checked = time.perf_counter()
        while order or self._waiting or self._in_flight:
            workers = self.executor.workers  # nodes come and go
            while len(self._in_flight) < self.tasks_per_worker * workers and (order or self._waiting):
                if not self._waiting:
                    self._cut(order)
                function, arguments, purpose = self._waiting.popleft()
                self._in_flight[self.executor.submit(function, *arguments)] = purpose
            finished = self.executor.next_finished(list(self._in_flight))
            now = time.perf_counter()
            self.capacity_seconds += workers * (now - checked)
            checked = now
            yield from self._settle(finished, self._in_flight.pop(finished.task))
        self.capacity_seconds += self.executor.workers * (time.perf_counter() - checked)

    def _cut(self, order: deque[int]) -> None:
        """Make tasks of the next trial: bundled with other small ones, whole, or in blocks."""
        first = order.popleft()
        trial = self._trials[first]
        total = self.cost.trial_seconds(trial)
        if total <= self.batch_seconds:
            self._bundle(first, total, order)
        elif self.cost.replicate_seconds(trial) <= self.batch_seconds or trial.schedule.units == 1:
            self._cut_replicates(first)
        else:
            self._cut_units(first)

    def _bundle(self, first: int, total: float, order: deque[int]) -> None:
        # Later bundles of a sweep shrink so that no worker is left with a long one at the end.
        left = sum(self.cost.trial_seconds(self._trials[i]) for i in list(order)[:2000])
        fair = min(self.batch_seconds, max(0.1, left / (2 * self.executor.workers)))
        chosen = [first]
        # Work of a kind that nobody has measured yet goes alone: a bad guess would make a bundle of hours.
        while (
            order
            and self.cost.knows(self._trials[first])
            and self.cost.knows(self._trials[order[0]])
            and total + self.cost.trial_seconds(self._trials[order[0]]) <= fair
        ):
            total += self.cost.trial_seconds(self._trials[order[0]])
            chosen.append(order.popleft())
        trials = [self._trials[i] for i in chosen]
        scheduled = sum(_scheduled(trial, trial.replicates, trial.schedule.units) for trial in trials)
        purpose = _Submitted(tuple(chosen), scheduled, bundle=True)
        self._waiting.append((run_bundle, tuple(trials), purpose))

    def _cut_replicates(self, index: int) -> None:
        trial = self._trials[index]
        size = _block_size(self.batch_seconds, self.cost.replicate_seconds(trial), trial.replicates)
        starts = range(0, trial.replicates, size)
        stored = self.executor.put(trial)
        self._progress[index] = _Progress(stored, [None] * len(starts), unit_blocks=0)
        for block, start in enumerate(starts):
            replicates = range(start, min(start + size, trial.replicates))
            scheduled = _scheduled(trial, len(replicates), trial.schedule.units)
            purpose = _Submitted((index,), scheduled, block)
            self._waiting.append((decide_block, (stored, replicates), purpose))

    def _cut_units(self, index: int) -> None:
        trial = self._trials[index]
        units = trial.schedule.units
        size = _block_size(self.batch_seconds, self.cost.unit_seconds(trial), units)
        unit_ranges = [range(u, min(u + size, units)) for u in range(0, units, size)]
        stored = self.executor.put(trial)
        blocks: list[Task | None] = [None] * len(unit_ranges) * trial.replicates
        self._progress[index] = _Progress(stored, blocks, len(unit_ranges))
        for replicate in range(trial.replicates):
            for position, block_units in enumerate(unit_ranges):
                block = replicate * len(unit_ranges) + position
                purpose = _Submitted((index,), _scheduled(trial, 1, len(block_units)), block)
                arguments = (stored, block_units, range(replicate, replicate + 1))
                self._waiting.append((explore_block, arguments, purpose))

    def _settle(self, finished: Finished, purpose: _Submitted) -> Iterator[Result]:
        self.busy_seconds += finished.seconds
        if finished.failure is not None:
            yield from self._settle_failure(finished, purpose)
        elif purpose.bundle:
            self._observe(purpose, finished)
            results = zip(purpose.trials, self.executor.value(finished.task), strict=True)
            yield from ((index, result, seconds) for index, (result, seconds) in results)
        elif purpose.block is None:
            index = purpose.trials[0]
            seconds = self._progress.pop(index).seconds + finished.seconds
            yield index, self.executor.value(finished.task), seconds
        else:
            self._observe(purpose, finished)
            self._collect(purpose.trials[0], purpose.block, finished)

    def _settle_failure(self, finished: Finished, purpose: _Submitted) -> Iterator[Result]:
        assert finished.failure is not None
        if purpose.bundle and finished.worker_lost and len(purpose.trials) > 1:
            for index in purpose.trials:  # one of them kills its worker: find out which, alone
                alone = _Submitted((index,), 0.0, bundle=True)
                self._waiting.append((run_bundle, (self._trials[index],), alone))
        elif purpose.bundle:
            for index in purpose.trials:
                yield index, finished.failure, finished.seconds
        else:
            index = purpose.trials[0]
            progress = self._progress[index]
            if not progress.failed:
                progress.failed = True
                self._waiting = deque(work for work in self._waiting if work[2].trials != (index,))
                yield index, finished.failure, progress.seconds

    def _collect(self, index: int, block: int, finished: Finished) -> None:
        progress = self._progress[index]
        progress.blocks[block] = finished.task
        progress.seconds += finished.seconds
        if progress.failed or any(done is None for done in progress.blocks):
            return
        trial = progress.trial
        purpose = _Submitted((index,), 0.0)
        if progress.unit_blocks:
            arguments = (trial, progress.unit_blocks, *progress.blocks)
            self._waiting.appendleft((judge_findings, arguments, purpose))
        else:
            self._waiting.appendleft((judge_decisions, (trial, *progress.blocks), purpose))
        progress.blocks = []

    def _observe(self, purpose: _Submitted, finished: Finished) -> None:
        kinds = {self._trials[index].kind for index in purpose.trials}
        if len(kinds) == 1:
            self.cost.observe(kinds.pop(), purpose.scheduled_seconds, finished.seconds)


def _block_size(wanted_seconds: float, seconds_each: float, total: int) -> int:
    return max(1, min(total, math.floor(wanted_seconds / seconds_each)))


def _scheduled(trial: Trial, replicates: int, units: int) -> float:
    return trial.schedule.seconds_per_unit * replicates * units
