"""How long work will take: the schedules' rough figures, corrected by what was observed."""

from __future__ import annotations

from stackel_bench.execution.trial import Trial


class CostModel:
    """Seconds per replicate of a trial; learns one factor per kind of trial."""

    _WEIGHT = 0.5  # of the newest observation

    def __init__(self) -> None:
        self._factors: dict[tuple[str, str], float] = {}

    def knows(self, trial: Trial) -> bool:
        """Whether work of this kind has been observed, so that the figures are more than a guess."""
        return trial.kind in self._factors

    def unit_seconds(self, trial: Trial) -> float:
        """Exploring one unit once."""
        return trial.schedule.seconds_per_unit * self._factors.get(trial.kind, 1.0)

    def replicate_seconds(self, trial: Trial) -> float:
        """Exploring all units once."""
        return self.unit_seconds(trial) * trial.schedule.units

    def trial_seconds(self, trial: Trial) -> float:
        """All replicates."""
        return self.replicate_seconds(trial) * trial.replicates

    def observe(self, kind: tuple[str, str], scheduled_seconds: float, seconds: float) -> None:
        """Learn from finished work whose schedules asked for scheduled_seconds."""
        if scheduled_seconds <= 0 or seconds <= 0:
            return
        ratio = seconds / scheduled_seconds
        old = self._factors.get(kind)
        self._factors[kind] = ratio if old is None else old ** (1 - self._WEIGHT) * ratio**self._WEIGHT
