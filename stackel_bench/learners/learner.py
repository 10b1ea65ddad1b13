"""What a learner is: a schedule of samples, an exploration per unit of work, and a decision at the end."""

from dataclasses import dataclass
from typing import Any, Protocol

from stackel_bench.errors import InputError
from stackel_bench.learners.budget import Budget
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

    @property
    def planned_per_unit(self) -> int | None:
        """Samples that one unit of a replicate draws; None where the learner stops by itself.

        Such a learner is scheduled for more than the theorem's samples, which it never needs.
        """
        budget, theory = self.budget, self.theory_samples
        if not budget.total_is_given and self.drawn_at_most > theory * max(1.0, budget.scale):
            return None
        return self.drawn_at_most // self.units


class Learner(Protocol):
    """What every learner has; beside it, one way to explore and one way to decide, chosen freely.

    For one replicate: `explore(sampler, schedule, unit, key)` returns findings about one unit for every rung,
    `decide(sampler, schedule, findings, tie_breaking)` one Decision per rung from those of all units;
    `learners.blocks` repeats them over a block, the replicates that share a random stream. For a block of
    `sampler.block_size` replicates at once, as arrays: `explore_block`, with the same arguments, returns a
    sequence over replicates that can be sliced, `decide_block` returns Decisions.

    Exploration does not depend on the tie-breaking, so one exploration serves both decisions. A learner that
    has a theorem says so in an attribute `guarantee` (learners.guarantee); without one it promises nothing.
    """

    @property
    def name(self) -> str:
        """The name in `algorithm=NAME`."""

    def schedule(self, sampler: Any, budget: Budget) -> Schedule:
        """The budget in this learner's own terms; raises InputError where it cannot be."""


def scheduled(learner: Any, sampler: Any, budget: Budget, name: str) -> Schedule:
    """The learner's schedule for this budget; an InputError where what it returns is none."""
    found = learner.schedule(sampler, budget)
    if not isinstance(found, Schedule) or not 1 <= len(found.counts) == len(found.samples):
        what = "counts and samples of unlike length" if isinstance(found, Schedule) else type(found).__name__
        sentence = f"algorithm={name}: schedule must return a Schedule with one count per rung, not {what}"
        raise InputError("algorithm", name, "a learner with a schedule", sentence)
    return found


def block_key(seed: int, game_identity: str, block: int) -> StreamKey:
    """The key of one block's streams. Algorithm and tie-breaking are left out: samples are paired."""
    return (seed, game_identity, block)
