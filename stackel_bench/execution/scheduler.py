"""Runs many trials on one executor: bounded work in flight, results as they come, finished pieces kept."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stackel_bench.execution.estimates import Estimates
from stackel_bench.execution.events import Event, Keeper, Progress, Result, progress
from stackel_bench.execution.executor import ClusterLostError, Executor, Finished, Task
from stackel_bench.execution.jobs import Call, Job
from stackel_bench.execution.runs import Piece, Run
from stackel_bench.execution.stored_games import StoredGames
from stackel_bench.execution.take_up import take_up
from stackel_bench.trials.encoding import decode, encode
from stackel_bench.trials.outcomes import outcomes
from stackel_bench.trials.pieces import run_whole_trials
from stackel_bench.trials.programs import decode_piece, is_checkpoint, plays
from stackel_bench.trials.rounds import next_round
from stackel_bench.trials.trial import Failure, Outcomes, Trial

ROUNDS = 20  # of a run, about: a run in rounds is so much longer than a task
SHORTEST_SECONDS = 0.1  # tasks do not get shorter than that towards the end of a sweep


@dataclass
class _Waiting:
    """A task that is not submitted yet, and what follows once it has ended."""

    call: Call
    then: Callable[[Finished], Iterator[Event]]  # of a job: only if nothing has failed
    seconds: float = 0.0  # that it will take, as far as known
    job: Job | None = None  # None: a bundle of whole trials


@dataclass
class Scheduler:
    """Yields what happens, as tasks end; no trial is run twice, and no piece that was kept is run again.

    fan_out "leader_action" gives every unit tasks of its own, "auto" keeps the units of small work together
    and bundles small trials; None leaves it to the game's sampler.
    """

    executor: Executor
    batch_seconds: float = 1.0
    fan_out: str | None = None
    keeper: Keeper | None = None
    piece_seconds: float = 30.0  # of a program's run, after which what it has is kept
    tasks_per_worker: int = 3
    busy_seconds: float = 0.0
    capacity_seconds: float = 0.0  # what all workers together could have been busy, from start to end
    tasks: int = 0  # that were submitted
    pieces_restored: int = 0  # that an earlier invocation had kept

    def run(self, trials: Sequence[Trial]) -> Iterator[list[Event]]:
        """All trials, in completion order; what tasks that ended together bring comes together.

        Closing the iterator abandons what is in flight.
        """
        self._trials = trials
        self._order = deque(range(len(trials)))
        self._games = StoredGames(self.executor, trials)
        self._estimates = Estimates(trials, self.fan_out)
        self._open: deque[Job] = deque()  # jobs with blocks that no task has yet
        self._waiting: deque[_Waiting] = deque()
        self._in_flight: dict[Task, _Waiting] = {}
        self._restored: list[Event] = []  # pieces of an earlier invocation that nobody was told of yet
        checked = self.executor.clock()
        while self._order or self._open or self._waiting or self._in_flight:
            workers = self.executor.workers  # nodes come and go
            while len(self._in_flight) < self.tasks_per_worker * workers and self._has_work():
                task = self._waiting.popleft()
                self.tasks += 1
                name, function, arguments = task.call
                self._in_flight[self.executor.submit(name, function, *arguments)] = task
            ended = self.executor.next_finished(self._in_flight.keys())
            now = self.executor.clock()
            self.capacity_seconds += workers * (now - checked)
            checked = now
            events, self._restored = self._restored, []
            try:
                for finished in ended:
                    self.busy_seconds += finished.seconds
                    events += self._after(self._in_flight.pop(finished.task), finished)
            except (ClusterLostError, KeyboardInterrupt):  # what came before is kept
                yield events
                raise
            yield events
        self.capacity_seconds += self.executor.workers * (self.executor.clock() - checked)

    def seconds_left(self) -> float:
        """Estimated seconds of computing on one worker until all is done; tasks in flight count half."""
        waiting = sum(task.seconds for task in self._waiting)
        in_flight = sum(task.seconds for task in self._in_flight.values()) / 2
        return self._estimates.seconds_left(self._open) + waiting + in_flight

    def _after(self, task: _Waiting, finished: Finished) -> Iterator[Event]:
        """What a task that ended leads to."""
        job = task.job
        if job is None:
            yield from task.then(finished)
        elif not job.failed:
            job.busy_seconds += finished.seconds
            if finished.failure is None:
                yield from task.then(finished)
            else:
                job.failed = True
                self._waiting = deque(task for task in self._waiting if task.job is not job)
                self._open = deque(other for other in self._open if other is not job)
                yield self._ended(job, finished.failure)

    def _has_work(self) -> bool:
        """Whether a task is waiting; cuts the next one where none is."""
        while not self._waiting and (self._open or self._order):
            if self._open:
                self._cut(self._open[0])
            else:
                self._start(self._order.popleft())
        return bool(self._waiting)

    def _start(self, index: int) -> None:
        """Open the job of a trial, going on with what is kept of it, or bundle it with other small ones."""
        trial, seconds = self._trials[index], self._estimates.seconds(index)
        self._estimates.begin(index)
        apart = self._estimates.fan_out[index]
        if not apart and seconds <= self.batch_seconds:
            self._run_whole(self._estimates.bundle(index, self._order, self._fair_seconds()))
            return
        job = Job(index, trial, apart, todo=[], started=self.executor.clock())
        kept = {} if self.keeper is None else self.keeper.kept(index)
        runs, events, pieces = take_up(job, kept, self.executor.put)
        self._restored += events
        self.pieces_restored += pieces
        for run in runs:
            self._advance(job, run)
        if job.todo:
            self._open.append(job)
        elif job.is_complete:  # every block was kept, only the end was not reached
            call = Call(f"finish {trial.game.name}", int, ())
            self._waiting.append(_Waiting(call, lambda _: iter([self._complete(job)]), job=job))

    def _cut(self, job: Job) -> None:
        """Make tasks of the job's next blocks: what fits the wanted task time, one if that is unknown."""
        known = self._estimates.knows(job.index) and not plays(job.trial.game)
        each = self._estimates.block_seconds(job)
        wanted = self._fair_seconds() * (ROUNDS if job.in_rounds else 1)
        blocks = job.take(max(1, math.floor(wanted / each)) if known else 1)
        if not job.todo:
            self._open.remove(job)
        if job.fans_out:
            self._advance(job, job.new_run(blocks))
        else:
            call = job.whole(blocks, self._games.get(job.index))
            self._waiting.append(self._decision(job, call, blocks, each * len(blocks)))

    def _fair_seconds(self) -> float:
        """The wanted time of a task; shorter towards the end, so that no worker is left with a long one."""
        share = self._estimates.seconds_left(self._open) / (2 * self.executor.workers)
        return min(self.batch_seconds, max(SHORTEST_SECONDS, share))

    def _advance(self, job: Job, run: Run) -> None:
        """Tasks for the units that are missing; where none is, the next round, or the decision at the end.

        A round's orders are kept before anybody follows them. Decisions come before anything else is begun.
        """
        game, blocks = job.trial.game, run.blocks
        if job.in_rounds and not run.missing:
            parts = [run.parts[part] for part in sorted(run.parts)]
            try:
                run.round = next_round(job.assignment, game, blocks, run.number, parts)
            except Exception as error:  # of this trial alone
                self._waiting.appendleft(self._decision(job, job.failure(run, error), blocks))
                return
            self._keep(job, Piece(None, blocks, "orders"), encode(run.round))
        if missing := run.missing:
            seconds = self._estimates.block_seconds(job) * len(blocks)
            if job.in_rounds:
                seconds = max(0.0, seconds - run.seconds) / len(missing)
            self._waiting.extend(self._exploration(job, run, unit, seconds) for unit in missing)
            return
        if job.in_rounds and not run.restored:
            self._estimates.observe(job, len(blocks), run.seconds)
        call = job.decision(run, self._games.get(job.index))
        self._waiting.appendleft(self._decision(job, call, blocks))

    def _exploration(self, job: Job, run: Run, unit: int, seconds: float) -> _Waiting:
        """The task that explores a unit, or goes on where it was cut."""
        begun = (unit, run.number) in run.checkpoints

        def then(finished: Finished) -> Iterator[Event]:
            content = self.executor.value(finished.task)
            cut = is_checkpoint(content)
            piece = Piece(unit, run.blocks, "cut" if cut and job.in_rounds else "unit")
            self._keep(job, piece, content)
            read = cut or job.in_rounds  # nobody looks into findings before the decision
            value: Any = decode_piece(content, job.assignment.packages) if read else None
            run.take(piece, value, finished.task)
            run.seconds += finished.seconds
            if cut:  # its next piece comes before anything else is begun
                left = seconds
                if not job.in_rounds:
                    samples = sum(value.samples.values())
                    left = self._estimates.observe_played(job, samples, value.seconds)
                self._waiting.appendleft(self._exploration(job, run, unit, left))
            else:
                if not (job.in_rounds or begun):
                    self._estimates.observe(job, len(run.blocks), finished.seconds)
                if not run.missing:
                    self._advance(job, run)
            yield from progress(job, piece, value)

        call = job.exploration(run, unit, self._games.unit(job.index, unit), self.piece_seconds)
        return _Waiting(call, then, seconds, job)

    def _decision(self, job: Job, call: Call, blocks: range, seconds: float = 0.0) -> _Waiting:
        """The task that decides some blocks."""

        def then(finished: Finished) -> Iterator[Event]:
            content, piece = self.executor.value(finished.task), Piece(None, blocks)
            job.decided[blocks.start] = decode(content, job.assignment.packages)
            if not job.fans_out:
                self._estimates.observe(job, len(blocks), finished.seconds)
            if not job.is_complete:
                self._keep(job, piece, content)
            yield Progress(job.index, piece)
            if job.is_complete:
                yield self._complete(job)

        return _Waiting(call, then, seconds, job)

    def _complete(self, job: Job) -> Result:
        start = self.executor.clock()
        result: Outcomes | Failure
        try:
            result = outcomes(job.assignment, job.results())
        except Exception as error:  # of this trial alone
            result = Failure.of(error)
        job.decided.clear()
        job.busy_seconds += self.executor.clock() - start
        return self._ended(job, result)

    def _ended(self, job: Job, result: Outcomes | Failure) -> Result:
        self._games.release(job.index)
        return Result(job.index, result, job.busy_seconds, self.executor.clock() - job.started)

    def _keep(self, job: Job, piece: Piece, content: bytes) -> None:
        if self.keeper is not None:
            self.keeper.keep(job.index, piece.name, content)

    def _run_whole(self, chosen: Sequence[int]) -> None:
        """A task of whole trials; where one of them kills its worker, each gets a task of its own."""
        assignments = [self._trials[index].assignment for index in chosen]
        first, started = assignments[0], self.executor.clock()
        name = f"run {first.game_name} r=0-{first.replicates - 1}"
        if len(chosen) > 1:
            name = f"run {len(chosen)} trials from {first.game_name} on"

        def then(finished: Finished) -> Iterator[Event]:
            if finished.worker_lost and len(chosen) > 1:
                for index in chosen:
                    self._run_whole([index])
                return
            found = [(finished.failure, finished.seconds)] * len(chosen)
            if finished.failure is None:
                found = self.executor.value(finished.task)
                self._estimates.observe_whole(chosen, finished.seconds)
            for index, (result, seconds) in zip(chosen, found, strict=True):
                self._games.release(index)
                assert result is not None
                yield Result(index, result, seconds, self.executor.clock() - started)

        call = Call(name, run_whole_trials, (assignments, *map(self._games.get, chosen)))
        self._waiting.append(_Waiting(call, then, sum(map(self._estimates.seconds, chosen))))
