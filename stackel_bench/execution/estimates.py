"""How long the trials of a sweep will take, and how long what nobody has begun will: learned on the way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from stackel_bench.execution.cost import CostModel
from stackel_bench.execution.jobs import Job
from stackel_bench.learners.certified.rounds import takes_rounds
from stackel_bench.trials.pieces import plays
from stackel_bench.trials.trial import Trial


class Estimates:
    """Seconds of trials and of blocks of them; trials of one kind learn from each other."""

    def __init__(self, trials: Sequence[Trial], fan_out: str | None, cost: CostModel) -> None:
        self._trials, self._fan_out, self.cost = trials, fan_out, cost
        self._waiting: defaultdict[Hashable, float] = defaultdict(float)  # scheduled, of trials not begun
        for index in range(len(trials)):
            self._waiting[self.kind(index)] += self.scheduled(index)

    def fans_out(self, index: int) -> bool:
        """Whether every unit of this trial gets tasks of its own; always, where a program is played."""
        trial = self._trials[index]
        if plays(trial.game):
            return True
        if self._fan_out is None:
            several = trial.schedule.units > 1 or takes_rounds(trial.learner)
            return several and bool(trial.game.sampler.job_per_unit)
        return self._fan_out == "leader_action"

    def kind(self, index: int) -> tuple[Hashable, ...]:
        """Trials of one kind cost alike, up to what their schedules say."""
        return (*self._trials[index].kind, self.fans_out(index))

    def scheduled(self, index: int) -> float:
        """Seconds of all replicates of a trial as its schedule puts it."""
        trial = self._trials[index]
        return trial.schedule.seconds_per_unit * trial.schedule.units * trial.replicates

    def seconds(self, index: int) -> float:
        """Seconds of a trial as far as its kind is known."""
        return self.scheduled(index) * self.cost.factor((self.kind(index),))

    def is_known(self, index: int) -> bool:
        """Whether trials of this kind have been measured."""
        return self.cost.knows((self.kind(index),))

    def begin(self, index: int) -> None:
        """A trial is no longer waiting."""
        self._waiting[self.kind(index)] -= self.scheduled(index)

    def block_seconds(self, job: Job) -> float:
        """Seconds of one block of a job: of one unit if units are apart, of all of them otherwise."""
        return job.scheduled_per_block * self.cost.factor(self.kinds(job))

    def kinds(self, job: Job) -> tuple[Hashable, ...]:
        """What a job learns from: first from itself, then from its kind."""
        return job.index, self.kind(job.index)

    def observe(self, job: Job, blocks: int, seconds: float) -> None:
        """Some blocks of a job took so long."""
        self.cost.observe(self.kinds(job), job.scheduled_per_block * blocks, seconds)

    def observe_played(self, job: Job, samples: int, seconds: float) -> float:
        """One unit of a block has played so many samples; the seconds that it will still take."""
        known = job.trial.schedule.planned_per_unit
        if known is None:
            return seconds  # nobody knows: as long again
        planned = max(samples, known)
        self.cost.observe(self.kinds(job), job.scheduled_per_block * samples / planned, seconds)
        return seconds * (planned - samples) / max(1, samples)

    def observe_whole(self, indices: Sequence[int], seconds: float) -> None:
        """Whole trials took so long together; only trials of one kind teach something."""
        kinds = {self.kind(index) for index in indices}
        if len(kinds) == 1:
            self.cost.observe((kinds.pop(),), sum(map(self.scheduled, indices)), seconds)

    def seconds_left(self, open_jobs: Iterable[Job]) -> float:
        """On one worker, of everything that no task has: trials not begun, and what is left of open jobs."""
        waiting = sum(seconds * self.cost.factor((kind,)) for kind, seconds in self._waiting.items())
        return waiting + sum(
            job.blocks_left * self.block_seconds(job) * (job.trial.schedule.units if job.fans_out else 1)
            for job in open_jobs
        )
