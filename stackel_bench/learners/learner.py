"""What a learner is: a schedule of samples, an exploration per unit of work, and a decision at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from stackel_bench.learners.budget import Budget
from stackel_bench.models import TieBreaking
from stackel_bench.streams import KeyPart

StreamKey = tuple[KeyPart, ...]


@dataclass(frozen=True, eq=False)
class Decision:
    """What a learner returns: a commitment, the response it expects, and what it paid for knowing it."""

    tie_breaking: TieBreaking
    leader_action: int | None  # finite-leader families
    leader_strategy: np.ndarray | None  # simultaneous games
    follower_response: int | np.ndarray  # an action, or a Markov policy [H,S,B]
    estimated_value: float
    samples: int
    diagnostics: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Schedule:
    """What a budget means for one learner on one game."""

    budget: Budget
    counts: tuple[int, ...]  # per rung: pulls per pair, episodes per leader action, queries ...
    samples: tuple[int, ...]  # per rung: total samples
    theory_samples: int  # what the theorem asks for
    units: int  # independent pieces of exploration, usually one per leader action
    seconds_per_unit: float = 1e-4  # rough cost of exploring one unit once, for batching only
    detail: Any = None  # what the learner itself needs to remember


class Learner(Protocol):
    """Exploration does not depend on the tie-breaking, so one exploration serves both decisions."""

    @property
    def name(self) -> str:
        """The name in `algorithm=NAME`."""

    def schedule(self, sampler: Any, budget: Budget) -> Schedule:
        """The budget in this learner's own terms; raises InputError where it cannot be."""

    def explore(self, sampler: Any, schedule: Schedule, unit: int, key: StreamKey) -> Any:
        """Findings about one unit for every rung; key is the replicate's, and unit belongs to it."""

    def decide(
        self, sampler: Any, schedule: Schedule, findings: Sequence[Any], tie_breaking: TieBreaking
    ) -> list[Decision]:
        """One decision per rung from the findings of all units, in order."""


def replicate_key(seed: int, game_identity: str, replicate: int) -> StreamKey:
    """The key of one replicate's streams. Algorithm and tie-breaking are left out: samples are paired."""
    return (seed, game_identity, replicate)
