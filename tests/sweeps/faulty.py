"""A learner that misbehaves on purpose, and the command with that learner: `python -m tests.sweeps.faulty`.

Faults are files in a folder; they strike where the budget's epsilon is 0.25, and nowhere else. No cell id
depends on them.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from stackel_bench.learners import blocks
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decisions
from stackel_bench.learners.learner import Learner, Schedule, StreamKey
from stackel_bench.models import TieBreaking


@dataclass(frozen=True)
class FaultyLearner:
    """A learner like the one inside, except where a fault strikes."""

    inside: Learner
    faults: Path

    options: ClassVar[dict[str, Any]] = {}  # the same cells as the learner inside
    changed_options: ClassVar[dict[str, Any]] = {}

    @property
    def name(self) -> str:
        return self.inside.name

    def schedule(self, sampler: Any, budget: Budget) -> Schedule:
        return self.inside.schedule(sampler, budget)

    def explore_block(self, sampler: Any, schedule: Schedule, unit: int, key: StreamKey) -> Any:
        if schedule.budget.epsilon == 0.25:
            self._strike()
        return blocks.explore_block(self.inside, sampler, schedule, unit, key, sampler.block_size)

    def decide_block(
        self, sampler: Any, schedule: Schedule, findings: Sequence[Any], tie_breaking: TieBreaking
    ) -> Decisions:
        return blocks.decide_block(self.inside, sampler, schedule, findings, tie_breaking)

    def _strike(self) -> None:
        if (self.faults / "raise").exists():
            raise ArithmeticError("the learner has lost its mind")
        if (self.faults / "die").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        if (self.faults / "die_once").exists():
            (self.faults / "die_once").unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        until = time.monotonic() + 300
        if (self.faults / "hang").exists():
            (self.faults / f"hanging-{os.getpid()}").touch()
        while (self.faults / "hang").exists() and time.monotonic() < until:
            time.sleep(0.05)


def install(faults: Path) -> None:
    """Make every cell use a faulty learner, in this process and in the workers that it starts."""
    from stackel_bench.sweeps import cell

    make_learner = cell.make_learner

    def make_faulty(*arguments: Any, **keywords: Any) -> Learner:
        return FaultyLearner(make_learner(*arguments, **keywords), faults)

    cell.make_learner = make_faulty  # type: ignore[assignment]


if __name__ == "__main__":
    from stackel_bench.cli import main
    from tests.sweeps import faulty  # by its real name, so that workers can unpickle the learner

    faulty.install(Path(sys.argv[1]))
    sys.argv = ["stackel-bench", *sys.argv[2:]]
    sys.exit(main(sys.argv[1:]))
