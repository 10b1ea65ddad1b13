"""How long the trials of a sweep will take: the schedules' rough figures, corrected by what was observed."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence

from stackel_bench.execution.jobs import Job, fans_out
from stackel_bench.simulation.recording import Checkpoint
from stackel_bench.trials.trial import Trial

WEIGHT = 0.5  # of the newest observation


class Estimates:
    """Seconds of trials and their blocks; a job learns from itself, trials of one kind from each other."""

    def __init__(self, trials: Sequence[Trial], fan_out: str | None) -> None:
        self._trials = trials
        self.fan_out = [fans_out(trial, fan_out) for trial in trials]
        self._kinds: list[Hashable] = [
            (*trial.kind, apart) for trial, apart in zip(trials, self.fan_out, strict=True)
        ]
        self._factors: dict[Hashable, float] = {}  # observed over scheduled seconds, by job and by kind
        self._waiting: defaultdict[Hashable, float] = defaultdict(float)  # scheduled, of trials not begun
        for index, kind in enumerate(self._kinds):
            self._waiting[kind] += self._scheduled(index)

    def begin(self, index: int) -> None:
        """A trial is no longer waiting."""
        self._waiting[self._kinds[index]] -= self._scheduled(index)

    def seconds(self, index: int) -> float:
        """Seconds of a trial as far as its kind is known."""
        return self._scheduled(index) * self._factor(self._kinds[index])

    def knows(self, index: int) -> bool:
        """Whether the trial, or one of its kind, has been observed, so that figures are more than a guess."""
        return index in self._factors or self._kinds[index] in self._factors

    def bundle(self, first: int, order: deque[int], wanted: float) -> list[int]:
        """This trial and those next in order that take so long together; unmeasured kinds go alone."""
        chosen, left = [first], wanted - self.seconds(first)
        while order and all(map(self.knows, (first, order[0]))) and not self.fan_out[order[0]]:
            if self.seconds(order[0]) > left:
                break
            chosen.append(order.popleft())
            left -= self.seconds(chosen[-1])
            self.begin(chosen[-1])
        return chosen

    def block_seconds(self, job: Job) -> float:
        """Seconds of one block of a job: of one unit if units are apart, of all of them otherwise."""
        return job.scheduled_per_block * self._factor(job.index, self._kinds[job.index])

    def seconds_left(self, open_jobs: Iterable[Job]) -> float:
        """On one worker, of everything that no task has: trials not begun, and what is left of open jobs."""
        waiting = sum(seconds * self._factor(kind) for kind, seconds in self._waiting.items())
        return waiting + sum(
            job.blocks_left * self.block_seconds(job) * (job.trial.schedule.units if job.fans_out else 1)
            for job in open_jobs
        )

    def observe(self, job: Job, blocks: int, seconds: float) -> None:
        """Some blocks of a job took so long."""
        self._learn((job.index, self._kinds[job.index]), job.scheduled_per_block * blocks, seconds)

    def observe_cut(self, job: Job, run: Checkpoint) -> float:
        """One unit of a block was cut there; the seconds that it will still take."""
        samples, planned = sum(run.samples.values()), job.trial.schedule.planned_per_unit
        share = run.share
        if share is None and planned is not None:
            share = samples / max(samples, planned, 1)
        if not share:
            return run.seconds  # nobody knows: as long again
        self._learn((job.index, self._kinds[job.index]), job.scheduled_per_block * share, run.seconds)
        return run.seconds * (1 / share - 1)

    def observe_whole(self, indices: Sequence[int], seconds: float) -> None:
        """Whole trials took so long together; only trials of one kind teach something."""
        kinds = {self._kinds[index] for index in indices}
        if len(kinds) == 1:
            self._learn(tuple(kinds), sum(map(self._scheduled, indices)), seconds)

    def _scheduled(self, index: int) -> float:
        trial = self._trials[index]
        return trial.schedule.seconds_per_unit * trial.schedule.units * trial.replicates

    def _factor(self, *keys: Hashable) -> float:
        """Of the first key that was observed."""
        return next((self._factors[key] for key in keys if key in self._factors), 1.0)

    def _learn(self, keys: tuple[Hashable, ...], scheduled: float, seconds: float) -> None:
        if scheduled <= 0 or seconds <= 0:
            return
        ratio = seconds / scheduled
        for key in keys:
            self._factors[key] = self._factors.get(key, ratio) ** (1 - WEIGHT) * ratio**WEIGHT
