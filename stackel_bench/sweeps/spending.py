"""What one command has spent, and which of its caps that has reached."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import product

from stackel_bench.config.settings import CapSettings
from stackel_bench.execution.runs import Piece
from stackel_bench.families.registry import family_of
from stackel_bench.results.numbers import count, duration
from stackel_bench.trials.programs import RunSoFar
from stackel_bench.trials.trial import Trial


class Spending:
    """Samples of trials as they finish (of programs as they play), and seconds of computing.

    What an earlier command played, or finished of a trial, is not spent again.
    """

    def __init__(self, cap: CapSettings, trials: Sequence[Trial]) -> None:
        self._cap, self._trials = cap, trials
        self._growing: defaultdict[int, dict[tuple[int, int], int]] = defaultdict(dict)  # by trial and run
        self._before: defaultdict[int, dict[tuple[int, int], int]] = defaultdict(dict)  # by earlier commands
        self._drawn: defaultdict[bool, int] = defaultdict(int)  # by whether they are episodes

    def grew(self, trial: int, run: RunSoFar, restored: bool) -> None:
        """The run of a program is so far by now, or was when an earlier command kept it."""
        self._growing[trial][run.unit, run.replicate] = run.samples
        if restored:
            self._before[trial][run.unit, run.replicate] = run.samples

    def kept(self, trial: int, piece: Piece) -> None:
        """An earlier command has finished this piece; of learners that stop by themselves nobody knows."""
        owner = self._trials[trial]
        planned = owner.schedule.planned_per_unit
        if planned is None or not owner.schedule.shared:
            return
        units = range(owner.schedule.units) if piece.unit is None else [piece.unit]
        for run in product(units, owner.assignment.replicates_in(piece.blocks)):
            self._growing[trial][run] = self._before[trial][run] = planned

    def finished(self, trial: int, samples: int) -> None:
        """A trial is complete and drew so many samples, or has failed; what it had played is spent."""
        known = sum(self._growing.pop(trial, {}).values())
        before = sum(self._before.pop(trial, {}).values())
        self._drawn[self._plays_episodes(trial)] += max(samples, known) - before

    def reached(self, busy_seconds: float) -> str:
        """The cap that is used up, as a sentence; empty while there is something left."""
        drawn = dict(self._drawn)
        for trial, runs in self._growing.items():
            episodes = self._plays_episodes(trial)
            now = sum(runs.values()) - sum(self._before[trial].values())
            drawn[episodes] = drawn.get(episodes, 0) + now
        samples, played = sum(drawn.values()), drawn.get(True, 0)
        if self._cap.samples is not None and samples >= self._cap.samples:
            return f"cap.samples={self._cap.samples} is reached: {count(samples)} samples were drawn"
        if self._cap.episodes is not None and played >= self._cap.episodes:
            return f"cap.episodes={self._cap.episodes} is reached: {count(played)} episodes were played"
        if self._cap.cpu_hours is not None and busy_seconds >= 3600 * self._cap.cpu_hours:
            return f"cap.cpu_hours={self._cap.cpu_hours:g} is reached: {duration(busy_seconds)} of computing"
        return ""

    def _plays_episodes(self, trial: int) -> bool:
        return bool(family_of(self._trials[trial].game.family).explorers)
