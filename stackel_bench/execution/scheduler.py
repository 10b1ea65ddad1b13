"""Runs many trials on one executor: bounded work in flight, results as they come, finished pieces kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stackel_bench.execution.events import Event, Keeper
from stackel_bench.execution.executor import ClusterLostError, Executor, Task
from stackel_bench.execution.work import Waiting, Work
from stackel_bench.trials.trial import Trial


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

    def run(self, trials: Sequence[Trial]) -> Iterator[list[Event]]:
        """All trials, in completion order; what tasks that ended together bring comes together.

        Closing the iterator abandons what is in flight.
        """
        executor, keeper = self.executor, self.keeper
        work = Work(executor, trials, self.batch_seconds, self.fan_out, keeper, self.piece_seconds)
        in_flight: dict[Task, Waiting] = {}
        self._work, self._in_flight = work, in_flight
        checked = executor.clock()
        while True:
            workers = executor.workers  # nodes come and go
            while len(in_flight) < self.tasks_per_worker * workers and (task := work.next_task()):
                self.tasks += 1
                name, function, arguments = task.call
                in_flight[executor.submit(name, function, *arguments)] = task
            if not in_flight:
                break
            ended = executor.next_finished(in_flight.keys())
            now = executor.clock()
            self.capacity_seconds += workers * (now - checked)
            checked = now
            events, work.restored = work.restored, []
            try:
                for finished in ended:
                    self.busy_seconds += finished.seconds
                    events += work.after(in_flight.pop(finished.task), finished)
            except (ClusterLostError, KeyboardInterrupt):  # what came before is kept
                yield events
                raise
            yield events
        self.capacity_seconds += executor.workers * (executor.clock() - checked)

    @property
    def pieces_restored(self) -> int:
        """Pieces that an earlier invocation had kept."""
        return self._work.pieces_restored

    def seconds_left(self) -> float:
        """Estimated seconds of computing on one worker until all is done; tasks in flight count half."""
        return self._work.seconds_left() + sum(task.seconds for task in self._in_flight.values()) / 2
