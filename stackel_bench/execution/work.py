"""What is to be done next: trials cut into tasks, and what follows when one of them has ended."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from stackel_bench.execution.estimates import Estimates
from stackel_bench.execution.events import Event, Keeper, Progress, Result, progress, take_up
from stackel_bench.execution.executor import Executor, Finished
from stackel_bench.execution.jobs import Call, Job
from stackel_bench.execution.runs import Piece, Run
from stackel_bench.execution.stored_games import StoredGames
from stackel_bench.trials.encoding import decode, encode
from stackel_bench.trials.outcomes import outcomes
from stackel_bench.trials.pieces import run_whole_trials
from stackel_bench.trials.programs import decode_piece, is_checkpoint, plays
from stackel_bench.trials.rounds import next_round
from stackel_bench.trials.trial import Failure, Outcomes, Trial

ROUNDS = 20  # of a run, about: a run in rounds is so much longer than a task
SHORTEST_SECONDS = 0.1  # tasks do not get shorter than that towards the end of a sweep


@dataclass
class Waiting:
    """A task that is not submitted yet, and what follows once it has ended."""

    call: Call
    then: Callable[[Finished], Iterator[Event]]  # of a job: only if nothing has failed
    seconds: float = 0.0  # that it will take, as far as known
    job: Job | None = None  # None: a bundle of whole trials


@dataclass
class Work:
    """What is left of some trials; see the Scheduler's fields of the same names."""

    executor: Executor
    trials: Sequence[Trial]
    batch_seconds: float
    fan_out: str | None
    keeper: Keeper | None
    piece_seconds: float
    pieces_restored: int = 0  # that an earlier invocation had kept
    restored: list[Event] = field(default_factory=list)  # such pieces that nobody was told of yet

    def __post_init__(self) -> None:
        self._order = deque(range(len(self.trials)))
        self._games = StoredGames(self.executor, self.trials)
        self._estimates = Estimates(self.trials, self.fan_out)
        self._open: deque[Job] = deque()  # jobs with blocks that no task has yet
        self._waiting: deque[Waiting] = deque()

    def next_task(self) -> Waiting | None:
        """The task to submit next, cut now where none is waiting; None if there is none until one ends."""
        while not self._waiting and (self._open or self._order):
            if self._open:
                self._cut(self._open[0])
            else:
                self._start(self._order.popleft())
        return self._waiting.popleft() if self._waiting else None

    def seconds_left(self) -> float:
        """Estimated seconds of computing on one worker of all that no worker has yet."""
        return self._estimates.seconds_left(self._open) + sum(task.seconds for task in self._waiting)

    def after(self, task: Waiting, finished: Finished) -> Iterator[Event]:
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

    def _start(self, index: int) -> None:
        """Open the job of a trial, going on with what is kept of it, or bundle it with other small ones."""
        trial, seconds = self.trials[index], self._estimates.seconds(index)
        self._estimates.begin(index)
        apart = self._estimates.fan_out[index]
        if not apart and seconds <= self.batch_seconds:
            self._run_whole(self._estimates.bundle(index, self._order, self._fair_seconds()))
            return
        job = Job(index, trial, apart, todo=[], started=self.executor.clock())
        kept = {} if self.keeper is None else self.keeper.kept(index)
        runs, events, pieces = take_up(job, kept, self.executor.put)
        self.restored += events
        self.pieces_restored += pieces
        for run in runs:
            self._advance(job, run)
        if job.todo:
            self._open.append(job)
        elif job.is_complete:  # every block was kept, only the end was not reached
            call = Call(f"finish {trial.game.name}", int, ())
            self._waiting.append(Waiting(call, lambda _: iter([self._complete(job)]), job=job))

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

    def _exploration(self, job: Job, run: Run, unit: int, seconds: float) -> Waiting:
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
                    left = self._estimates.observe_cut(job, value)
                self._waiting.appendleft(self._exploration(job, run, unit, left))
            else:
                if not (job.in_rounds or begun):
                    self._estimates.observe(job, len(run.blocks), finished.seconds)
                if not run.missing:
                    self._advance(job, run)
            yield from progress(job, piece, value)

        call = job.exploration(run, unit, self._games.unit(job.index, unit), self.piece_seconds)
        return Waiting(call, then, seconds, job)

    def _decision(self, job: Job, call: Call, blocks: range, seconds: float = 0.0) -> Waiting:
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

        return Waiting(call, then, seconds, job)

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
        """A task of whole trials; where one of them makes all of it fail, each gets a task of its own."""
        assignments = [self.trials[index].assignment for index in chosen]
        first, started = assignments[0], self.executor.clock()
        name = f"run {first.game_name} r=0-{first.replicates - 1}"
        if len(chosen) > 1:
            name = f"run {len(chosen)} trials from {first.game_name} on"

        def then(finished: Finished) -> Iterator[Event]:
            if finished.failure is not None and len(chosen) > 1:  # its worker died, or a game did not arrive
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
        self._waiting.append(Waiting(call, then, sum(map(self._estimates.seconds, chosen))))
