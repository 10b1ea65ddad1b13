"""Runs in rounds: parts that are explored independently of each other, until all have to be heard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from stackel_bench.learners.learner import Learner, Schedule, StreamKey
from stackel_bench.models import TieBreaking


class RoundLearner(Learner, Protocol):
    """A learner with one unit, whose parts (leader actions) can be explored side by side within a round.

    What is found about a part has an attribute `report`, all that orders depend on.
    """

    def orders(
        self, sampler: Any, schedule: Schedule, reports: Sequence[Any], tie: TieBreaking
    ) -> dict[int, Any]:
        """What to do next by part, given the reports of all parts (none at first); nothing at the end."""

    def explore_part(
        self,
        sampler: Any,
        schedule: Schedule,
        part: int,
        key: StreamKey,
        tie: TieBreaking,
        order: Any,
        run: Any,
    ) -> Any:
        """What is found about a part (run; None at first) once it followed the order; the replicate's key."""

    def end(self, runs: Sequence[Any], tie: TieBreaking) -> Any:
        """What exploring the unit has found for this tie-breaking."""


def takes_rounds(learner: object) -> bool:
    """Whether a learner is a RoundLearner."""
    return hasattr(learner, "explore_part")


def explore_in_rounds(
    learner: RoundLearner, sampler: Any, schedule: Schedule, key: StreamKey, tie: TieBreaking
) -> list[Any]:
    """What is found about all parts at the end."""
    runs: dict[int, Any] = {}
    while orders := learner.orders(sampler, schedule, [runs[part].report for part in sorted(runs)], tie):
        for part, order in orders.items():
            runs[part] = learner.explore_part(sampler, schedule, part, key, tie, order, runs.get(part))
    return [runs[part] for part in sorted(runs)]
