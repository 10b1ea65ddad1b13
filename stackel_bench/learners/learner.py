"""What a learner is: a schedule of samples, an exploration per unit of work, and a decision at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decision, Decisions
from stackel_bench.models import TieBreaking
from stackel_bench.streams import KeyPart

StreamKey = tuple[KeyPart, ...]


@dataclass(frozen=True)
class Schedule:
    """What a budget means for one learner on one game."""

    budget: Budget
    counts: tuple[int, ...]  # per rung: pulls per pair, episodes per leader action, queries ...
    samples: tuple[int, ...]  # per rung: total samples
    theory_samples: int  # what the theorem asks for
    units: int  # independent pieces of exploration, usually one per leader action
    seconds_per_unit: float = 1e-4  # rough cost of exploring one unit once, for batching only
    nested: bool = True  # a rung's samples contain those of the rung before; if not, each rung is a run
    shared: bool = True  # both tie-breakings decide from the same samples
    detail: Any = None  # what the learner itself needs to remember

    @property
    def drawn_at_most(self) -> int:
        """Samples that one replicate draws on all rungs; learners that stop by themselves draw fewer."""
        return self.samples[-1] if self.nested else sum(self.samples)


class Learner(Protocol):
    """What every learner has; beside it, one way to explore and one way to decide (see the next two classes).

    Exploration does not depend on the tie-breaking, so one exploration serves both decisions. A learner that
    has a theorem says so in an attribute `guarantee` (learners.guarantee); without one it promises nothing.
    """

    @property
    def name(self) -> str:
        """The name in `algorithm=NAME`."""

    def schedule(self, sampler: Any, budget: Budget) -> Schedule:
        """The budget in this learner's own terms; raises InputError where it cannot be."""


class ReplicateLearner(Learner, Protocol):
    """A learner written for one replicate; `learners.blocks` repeats it over a block of replicates."""

    def explore(self, sampler: Any, schedule: Schedule, unit: int, key: StreamKey) -> Any:
        """Findings about one unit for every rung; key is the replicate's, and unit belongs to it."""

    def decide(
        self, sampler: Any, schedule: Schedule, findings: Sequence[Any], tie_breaking: TieBreaking
    ) -> list[Decision]:
        """One decision per rung from the findings of all units, in order."""


class BlockLearner(Learner, Protocol):
    """A learner that handles a block of replicates at once, as arrays; either method may stand alone.

    A block has `sampler.block_size` replicates, and its random stream belongs to the block as a whole.
    """

    def explore_block(self, sampler: Any, schedule: Schedule, unit: int, key: StreamKey) -> Any:
        """Findings about one unit: a sequence over all replicates of the block, which can be sliced."""

    def decide_block(
        self, sampler: Any, schedule: Schedule, findings: Sequence[Any], tie_breaking: TieBreaking
    ) -> Decisions:
        """The decisions of all replicates from the findings of all units."""


def block_key(seed: int, game_identity: str, block: int) -> StreamKey:
    """The key of one block's streams. Algorithm and tie-breaking are left out: samples are paired."""
    return (seed, game_identity, block)
