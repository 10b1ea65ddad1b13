"""Runs many trials on one executor: bounded work in flight, results as they come, finished pieces kept."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from stackel_bench.execution.cost import CostModel
from stackel_bench.execution.estimates import Estimates
from stackel_bench.execution.executor import ClusterLostError, Executor, Finished, Task
from stackel_bench.execution.jobs import Job, Piece, RoundsRun, Run, free_blocks
from stackel_bench.execution.stored_games import StoredGames
from stackel_bench.simulation.recording import Checkpoint
from stackel_bench.trials.encoding import NotReadableError, decode, encode
from stackel_bench.trials.pieces import (
    decide_blocks,
    decode_piece,
    explore_unit,
    is_checkpoint,
    outcomes,
    plays,
    run_blocks,
    run_whole_trials,
)
from stackel_bench.trials.rounds import Part, Round, decide_parts, explore_part, next_round, raise_again
from stackel_bench.trials.run_so_far import RunSoFar
from stackel_bench.trials.trial import Failure, Outcomes, Trial

ROUNDS = 20  # of a run, about: a run in rounds is so much longer than a task
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
    run: RunSoFar | None = None  # of a program that was cut and goes on; seconds are then those of all


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
    cost: CostModel = field(default_factory=CostModel)

    def run(self, trials: Sequence[Trial]) -> Iterator[list[Event]]:
        """All trials, in completion order; what tasks that ended together bring comes together.

        Closing the iterator abandons what is in flight.
        """
        self._trials = trials
        self._order = deque(range(len(trials)))
        self._games = StoredGames(self.executor, trials)
        self._estimates = Estimates(trials, self.fan_out, self.cost)
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
                self._in_flight[self.executor.submit(task.name, task.function, *task.arguments)] = task
            ended = self.executor.next_finished(self._in_flight.keys())
            now = self.executor.clock()
            self.capacity_seconds += workers * (now - checked)
            checked = now
            events, self._restored = self._restored, []
            try:
                for finished in ended:
                    self.busy_seconds += finished.seconds
                    events += self._in_flight.pop(finished.task).then(finished)
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
        job = Job(index, self._trials[index], fans_out, todo=[], started=self.executor.clock())
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
        rounds: dict[range, RoundsRun] = {}
        for name, content in ({} if self.keeper is None else self.keeper.kept(job.index)).items():
            try:
                piece, value = Piece.parse(name), decode_piece(content, job.assignment.packages)
            except (NotReadableError, ValueError):
                continue
            self.pieces_restored += 1
            if isinstance(value, Round | Part) or piece.kind == "cut":
                run = rounds.setdefault(piece.blocks, RoundsRun(piece.blocks, restored=True))
                run.take(piece, value, self.executor.put(content))
                self._restored += _played_so_far(job, piece, value, restored=True)
                continue
            if isinstance(value, Checkpoint):
                assert piece.unit is not None
                self._restored.append(_grown(job, piece, value, restored=True))
                job.checkpoints[piece.unit, piece.blocks.start] = self.executor.put(content)
                explored.setdefault(piece.blocks, {})
                continue
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
        for blocks, run in rounds.items():
            if job.in_rounds and run.is_whole and taken.isdisjoint(blocks):
                taken |= set(blocks)
                self._advance(job, run)
        job.todo = free_blocks(job.assignment.num_blocks, taken)

    def _cut(self, job: Job) -> None:
        """Make tasks of the job's next blocks: what fits the wanted task time, one if that is unknown."""
        known = self.cost.knows(self._estimates.kinds(job)) and not plays(job.trial.game)
        each = self._estimates.block_seconds(job)
        wanted = self._fair_seconds() * (ROUNDS if job.in_rounds else 1)
        blocks = job.take(max(1, math.floor(wanted / each)) if known else 1)
        if not job.todo:
            self._open.remove(job)
        if job.in_rounds:
            self._advance(job, RoundsRun(blocks))
        elif job.fans_out:
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
            seconds = self._estimates.block_seconds(job) * len(blocks)
            self._waiting.append(self._exploration(job, run, Piece(unit, blocks), seconds))
        if run.is_explored:
            self._decide(job, run)

    def _advance(self, job: Job, run: RoundsRun) -> None:
        """Tasks for what the round in work waits for, or for the next round, or for the decision at the end.

        A round's orders are kept before anybody follows them.
        """
        blocks = run.blocks
        if not run.missing:
            parts = [run.parts[part] for part in sorted(run.parts)]
            try:
                run.round = next_round(job.assignment, job.trial.game, blocks, run.number, parts)
            except Exception as error:  # of this trial alone
                name, then = job.task_name("decide", blocks), self._decided(job, blocks)
                self._waiting.appendleft(_Waiting(job, name, raise_again, (error,), then))
                return
            self._keep(job, Piece(None, blocks, "orders"), encode(run.round))
        missing = run.missing
        left = max(0.0, self._estimates.block_seconds(job) * len(blocks) - run.seconds)
        self._waiting.extend(self._part(job, run, part, left / len(missing)) for part in missing)
        if not missing:
            contents = [run.contents[part] for part in sorted(run.contents)]
            if not run.restored:
                self._estimates.observe(job, len(blocks), run.seconds)
            arguments = (job.assignment, self._games.get(job.index), blocks, *contents)
            name, then = job.task_name("decide", blocks), self._decided(job, blocks)
            self._waiting.appendleft(_Waiting(job, name, decide_parts, arguments, then))

    def _part(self, job: Job, run: RoundsRun, part: int, seconds: float) -> _Waiting:
        """The task of a part in the round in work, or of what is left of it."""
        assert run.round is not None
        number, blocks = run.number, run.blocks
        before, checkpoint = run.contents.get(part, b""), run.checkpoints.get((part, number), b"")
        orders, game = run.round.orders[part], self._games.unit(job.index, part)
        arguments = (job.assignment, game, part, number, orders, before, checkpoint, self.piece_seconds)

        def then(finished: Finished) -> Iterator[Event]:
            if finished.failure is not None:
                yield from self._fail(job, finished.failure)
            elif not job.failed:
                job.busy_seconds += finished.seconds
                run.seconds += finished.seconds
                content = self.executor.value(finished.task)
                piece = Piece(part, blocks, "cut" if is_checkpoint(content) else "unit")
                self._keep(job, piece, content)
                value = decode_piece(content, job.assignment.packages)
                run.take(piece, value, finished.task)
                if piece.kind == "cut":
                    self._waiting.appendleft(self._part(job, run, part, seconds))
                elif not run.missing:
                    self._advance(job, run)
                yield from _played_so_far(job, piece, value)

        name = f"{job.task_name('explore', blocks, part)} round={number}"
        return _Waiting(job, name, explore_part, arguments, then, seconds)

    def _exploration(self, job: Job, run: Run, piece: Piece, seconds: float) -> _Waiting:
        """The task that explores a unit, or goes on where an earlier piece of it was cut."""
        unit, blocks = piece.unit, piece.blocks
        assert unit is not None
        checkpoint = job.checkpoints.get((unit, blocks.start), b"")
        game = self._games.unit(job.index, unit)
        arguments = (job.assignment, game, unit, blocks, checkpoint, self.piece_seconds)
        name = job.task_name("explore", blocks, unit)
        return _Waiting(job, name, explore_unit, arguments, self._explored(job, run, piece), seconds)

    def _explored(self, job: Job, run: Run, piece: Piece) -> _Then:
        def then(finished: Finished) -> Iterator[Event]:
            if finished.failure is not None:
                yield from self._fail(job, finished.failure)
            elif not job.failed:
                job.busy_seconds += finished.seconds
                content = self.executor.value(finished.task)
                self._keep(job, piece, content)
                assert piece.unit is not None
                if is_checkpoint(content):
                    yield self._go_on(job, run, piece, content, finished.task)
                    return
                if job.checkpoints.pop((piece.unit, piece.blocks.start), None) is None:
                    self._estimates.observe(job, len(piece.blocks), finished.seconds)
                run.findings[piece.unit] = finished.task
                if run.is_explored:
                    self._decide(job, run)
                yield Progress(job.index, piece, finished.seconds)

        return then

    def _go_on(self, job: Job, run: Run, piece: Piece, content: bytes, cut: Task) -> Progress:
        """A run was cut, and what it has is kept: its next piece comes before anything else is begun."""
        assert piece.unit is not None
        saved = decode_piece(content, job.assignment.packages)
        job.checkpoints[piece.unit, piece.blocks.start] = cut
        grown = _grown(job, piece, saved)
        assert grown.run is not None
        left = self._estimates.observe_played(job, grown.run.samples, saved.seconds)
        self._waiting.appendleft(self._exploration(job, run, piece, left))
        return grown

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
        start = self.executor.clock()
        result: Outcomes | Failure
        try:
            result = outcomes(job.assignment, job.results())
        except Exception as error:  # of this trial alone
            result = Failure.of(error)
        job.decided.clear()
        self._games.release(job.index)
        now = self.executor.clock()
        yield Result(job.index, result, job.busy_seconds + now - start, now - job.started)

    def _fail(self, job: Job, failure: Failure) -> Iterator[Event]:
        if not job.failed:
            job.failed = True
            self._waiting = deque(task for task in self._waiting if task.job is not job)
            self._open = deque(other for other in self._open if other is not job)
            self._games.release(job.index)
            yield Result(job.index, failure, job.busy_seconds, self.executor.clock() - job.started)

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
        first, started = assignments[0], self.executor.clock()
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
                yield Result(index, result, seconds, self.executor.clock() - started)

        arguments = (assignments, *map(self._games.get, chosen))
        seconds = sum(map(self._estimates.seconds, chosen))
        self._waiting.append(_Waiting(None, name, run_whole_trials, arguments, then, seconds))


def _grown(job: Job, piece: Piece, saved: Checkpoint, restored: bool = False) -> Progress:
    assert piece.unit is not None
    planned = None if job.in_rounds else job.trial.schedule.planned_per_unit
    replicate = job.assignment.replicates_in(piece.blocks).start
    run = RunSoFar(piece.unit, replicate, saved.samples, saved.certificates, saved.seconds, planned)
    return Progress(job.index, piece, saved.seconds, restored, run)


def _played_so_far(job: Job, piece: Piece, value: Any, restored: bool = False) -> Iterator[Progress]:
    """How far a program's run in rounds is; nothing where samples are simulated, or of a round's orders."""
    played = getattr(value, "played", value)
    if getattr(played, "samples", 0):
        yield _grown(job, Piece(piece.unit, piece.blocks, "cut"), played, restored)
