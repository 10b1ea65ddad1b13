"""Runs many trials on one executor: bounded work in flight, results as they come, finished pieces kept."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from stackel_bench.execution.cost import CostModel
from stackel_bench.execution.estimates import Estimates
from stackel_bench.execution.executor import Executor, Finished, Task
from stackel_bench.execution.jobs import Job, Piece, Run, free_blocks
from stackel_bench.execution.stored_games import StoredGames
from stackel_bench.trials.encoding import NotReadableError, decode
from stackel_bench.trials.pieces import (
    decide_blocks,
    explore_unit,
    outcomes,
    run_blocks,
    run_whole_trials,
)
from stackel_bench.trials.trial import Failure, Outcomes, Trial

SHORTEST_SECONDS = 0.1  # tasks do not get shorter than that towards the end of a sweep


class Keeper(Protocol):
    """Where finished pieces are kept until their trial is complete; pieces are named by Piece.name."""

    def keep(self, trial: int, piece: str, content: bytes) -> None:
        """Make the piece durable."""

    def kept(self, trial: int) -> dict[str, bytes]:
        """Pieces of an earlier invocation."""


@dataclass(frozen=True)
class Progress:
    """A piece of a trial has come back, or was found where an earlier invocation had kept it."""

    trial: int
    piece: Piece
    seconds: float
    restored: bool = False


@dataclass(frozen=True)
class Result:
    """A trial is complete, or has failed."""

    trial: int
    outcomes: Outcomes | Failure
    busy_seconds: float
    wall_seconds: float  # from the moment its first task was cut to its end


Event = Progress | Result
_Then = Callable[[Finished], Iterator[Event]]


@dataclass
class _Waiting:
    """A task that is not submitted yet, and what follows once it has ended."""

    job: Job | None  # None: a bundle of whole trials
    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    then: _Then
    seconds: float = 0.0  # that it will take, as far as known


@dataclass
class Scheduler:
    """Yields what happens, task by task; no trial is run twice, and no piece that was kept is run again.

    fan_out "leader_action" gives every unit tasks of its own, "auto" keeps the units of small work together
    and bundles small trials; None leaves it to the game's sampler.
    """

    executor: Executor
    batch_seconds: float = 1.0
    fan_out: str | None = None
    keeper: Keeper | None = None
    tasks_per_worker: int = 3
    busy_seconds: float = 0.0
    capacity_seconds: float = 0.0  # what all workers together could have been busy, from start to end
    tasks: int = 0  # that were submitted
    pieces_restored: int = 0  # that an earlier invocation had kept
    cost: CostModel = field(default_factory=CostModel)

    def run(self, trials: Sequence[Trial]) -> Iterator[list[Event]]:
        """All trials, in completion order. Closing the iterator abandons what is in flight."""
        self._trials = trials
        self._order = deque(range(len(trials)))
        self._games = StoredGames(self.executor, trials)
        self._estimates = Estimates(trials, self.fan_out, self.cost)
        self._open: deque[Job] = deque()  # jobs with blocks that no task has yet
        self._waiting: deque[_Waiting] = deque()
        self._in_flight: dict[Task, _Waiting] = {}
        self._restored: list[Event] = []  # pieces of an earlier invocation that nobody was told of yet
        checked = time.perf_counter()
        while self._order or self._open or self._waiting or self._in_flight:
            workers = self.executor.workers  # nodes come and go
            while len(self._in_flight) < self.tasks_per_worker * workers and self._has_work():
                task = self._waiting.popleft()
                self.tasks += 1
                self._in_flight[self.executor.submit(task.name, task.function, *task.arguments)] = task
            finished = self.executor.next_finished(list(self._in_flight))
            now = time.perf_counter()
            self.capacity_seconds += workers * (now - checked)
            self.busy_seconds += finished.seconds
            checked = now
            restored, self._restored = self._restored, []
            yield [*restored, *self._in_flight.pop(finished.task).then(finished)]
        self.capacity_seconds += self.executor.workers * (time.perf_counter() - checked)

    def seconds_left(self) -> float:
        """Estimated seconds of computing on one worker until all is done; tasks in flight count half."""
        waiting = sum(task.seconds for task in self._waiting)
        in_flight = sum(task.seconds for task in self._in_flight.values()) / 2
        return self._estimates.seconds_left(self._open) + waiting + in_flight

    def _has_work(self) -> bool:
        """Whether a task is waiting; cuts the next one where none is."""
        while not self._waiting and (self._open or self._order):
            if self._open:
                self._cut(self._open[0])
            else:
                self._start(self._order.popleft())
        return bool(self._waiting)

    def _start(self, index: int) -> None:
        """Open the job of a trial, or bundle it with others that are small."""
        fans_out = self._estimates.fans_out(index)
        seconds = self._estimates.seconds(index)
        self._estimates.begin(index)
        if not fans_out and seconds <= self.batch_seconds:
            self._bundle(index, seconds)
            return
        job = Job(index, self._trials[index], fans_out, todo=[])
        self._restore(job)
        if job.todo:
            self._open.append(job)
        elif job.is_complete:  # every block was kept, only the end was not reached
            name = f"finish {job.trial.game.name}"
            self._waiting.append(_Waiting(job, name, int, (), lambda _: self._complete(job)))

    def _restore(self, job: Job) -> None:
        """Take up what an earlier invocation kept of this trial; what is damaged is done again."""
        taken: set[int] = set()
        explored: dict[range, dict[int, Task | None]] = {}
        for name, content in ({} if self.keeper is None else self.keeper.kept(job.index)).items():
            try:
                piece, value = Piece.parse(name), decode(content, job.assignment.packages)
            except (NotReadableError, ValueError):
                continue
            self.pieces_restored += 1
            self._restored.append(Progress(job.index, piece, 0.0, restored=True))
            if piece.unit is not None:
                explored.setdefault(piece.blocks, {})[piece.unit] = self.executor.put(content)
            elif all(tie in result for tie in job.trial.tie_breakings for result in value):
                job.decided[piece.blocks.start] = value
                taken |= set(piece.blocks)
        for blocks, findings in explored.items():
            if job.fans_out and taken.isdisjoint(blocks):
                taken |= set(blocks)
                self._explore(job, blocks, findings)
        job.todo = free_blocks(job.assignment.num_blocks, taken)

    def _cut(self, job: Job) -> None:
        """Make tasks of the job's next blocks: what fits the wanted task time, one if that is unknown."""
        known = self.cost.knows(self._estimates.kinds(job))
        each = self._estimates.block_seconds(job)
        blocks = job.take(max(1, math.floor(self._fair_seconds() / each)) if known else 1)
        if not job.todo:
            self._open.remove(job)
        if job.fans_out:
            self._explore(job, blocks, {})
        else:
            arguments = (job.assignment, self._games.get(job.index), blocks)
            name = job.task_name("run", blocks)
            then = self._decided(job, blocks)
            self._waiting.append(_Waiting(job, name, run_blocks, arguments, then, each * len(blocks)))

    def _fair_seconds(self) -> float:
        """The wanted time of a task; shorter towards the end, so that no worker is left with a long one."""
        share = self._estimates.seconds_left(self._open) / (2 * self.executor.workers)
        return min(self.batch_seconds, max(SHORTEST_SECONDS, share))

    def _explore(self, job: Job, blocks: range, kept: dict[int, Task | None]) -> None:
        """A task for every unit of these blocks whose findings were not kept."""
        run = Run(blocks, {unit: kept.get(unit) for unit in range(job.trial.schedule.units)})
        for unit in (unit for unit, finding in run.findings.items() if finding is None):
            arguments = (job.assignment, self._games.unit(job.index, unit), unit, blocks)
            name = job.task_name("explore", blocks, unit)
            then = self._explored(job, run, Piece(unit, blocks))
            seconds = self._estimates.block_seconds(job) * len(blocks)
            self._waiting.append(_Waiting(job, name, explore_unit, arguments, then, seconds))
        if run.is_explored:
            self._decide(job, run)

    def _explored(self, job: Job, run: Run, piece: Piece) -> _Then:
        def then(finished: Finished) -> Iterator[Event]:
            if finished.failure is not None:
                yield from self._fail(job, finished.failure)
            elif not job.failed:
                job.busy_seconds += finished.seconds
                self._estimates.observe(job, len(piece.blocks), finished.seconds)
                self._keep(job, piece, self.executor.value(finished.task))
                assert piece.unit is not None
                run.findings[piece.unit] = finished.task
                if run.is_explored:
                    self._decide(job, run)
                yield Progress(job.index, piece, finished.seconds)

        return then

    def _decide(self, job: Job, run: Run) -> None:
        """The findings of all units are there: decide before anything else is begun."""
        arguments = (job.assignment, self._games.get(job.index), run.blocks, *run.findings.values())
        name = job.task_name("decide", run.blocks)
        task = _Waiting(job, name, decide_blocks, arguments, self._decided(job, run.blocks))
        self._waiting.appendleft(task)

    def _decided(self, job: Job, blocks: range) -> _Then:
        def then(finished: Finished) -> Iterator[Event]:
            if finished.failure is not None:
                yield from self._fail(job, finished.failure)
            elif not job.failed:
                content, piece = self.executor.value(finished.task), Piece(None, blocks)
                job.decided[blocks.start] = decode(content, job.assignment.packages)
                job.busy_seconds += finished.seconds
                if not job.fans_out:
                    self._estimates.observe(job, len(blocks), finished.seconds)
                if not job.is_complete:
                    self._keep(job, piece, content)
                yield Progress(job.index, piece, finished.seconds)
                if job.is_complete:
                    yield from self._complete(job)

        return then

    def _complete(self, job: Job) -> Iterator[Event]:
        start = time.perf_counter()
        result: Outcomes | Failure
        try:
            result = outcomes(job.assignment, job.results())
        except Exception as error:  # of this trial alone
            result = Failure.of(error)
        job.decided.clear()
        self._games.release(job.index)
        now = time.perf_counter()
        yield Result(job.index, result, job.busy_seconds + now - start, now - job.started)

    def _fail(self, job: Job, failure: Failure) -> Iterator[Event]:
        if not job.failed:
            job.failed = True
            self._waiting = deque(task for task in self._waiting if task.job is not job)
            self._open = deque(other for other in self._open if other is not job)
            self._games.release(job.index)
            yield Result(job.index, failure, job.busy_seconds, time.perf_counter() - job.started)

    def _keep(self, job: Job, piece: Piece, content: bytes) -> None:
        if self.keeper is not None:
            self.keeper.keep(job.index, piece.name, content)

    def _bundle(self, first: int, total: float) -> None:
        """One task of several whole trials that are small; kinds that nobody has measured go alone."""
        estimates, chosen, fair = self._estimates, [first], self._fair_seconds()
        while (
            self._order
            and estimates.is_known(first)
            and estimates.is_known(self._order[0])
            and not estimates.fans_out(self._order[0])
            and total + estimates.seconds(self._order[0]) <= fair
        ):
            chosen.append(self._order.popleft())
            total += estimates.seconds(chosen[-1])
            estimates.begin(chosen[-1])
        self._submit_bundle(tuple(chosen))

    def _submit_bundle(self, chosen: tuple[int, ...]) -> None:
        assignments = [self._trials[index].assignment for index in chosen]
        first, started = assignments[0], time.perf_counter()
        name = f"run {first.game_name} r=0-{first.replicates - 1}"
        if len(chosen) > 1:
            name = f"run {len(chosen)} trials from {first.game_name} on"

        def then(finished: Finished) -> Iterator[Event]:
            if finished.worker_lost and len(chosen) > 1:
                for index in chosen:  # one of them kills its worker: find out which, alone
                    self._submit_bundle((index,))
                return
            found = [(finished.failure, finished.seconds)] * len(chosen)
            if finished.failure is None:
                found = self.executor.value(finished.task)
                self._estimates.observe_whole(chosen, finished.seconds)
            for index, (result, seconds) in zip(chosen, found, strict=True):
                self._games.release(index)
                assert result is not None
                yield Result(index, result, seconds, time.perf_counter() - started)

        arguments = (assignments, *map(self._games.get, chosen))
        seconds = sum(map(self._estimates.seconds, chosen))
        self._waiting.append(_Waiting(None, name, run_whole_trials, arguments, then, seconds))
