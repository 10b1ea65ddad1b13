"""One learner on one game with one budget, through a closed sampler."""

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

from stackel_bench.errors import InputError
from stackel_bench.families.family import Contract
from stackel_bench.learners.blocks import decide_block, explore_block
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Schedule, block_key, scheduled
from stackel_bench.models import TieBreaking
from stackel_bench.testing.common import Ledger, closed

_SEED, _REPLICATES = 3, 3


class Trial:
    """Schedule, findings and decisions are made when first asked for, and kept."""

    def __init__(self, learner: Any, game: Any, contract: Contract, budget: Budget) -> None:
        self.learner, self.game, self.contract, self.budget = learner, game, contract, budget
        self.ledger = Ledger()
        self.sampler = closed(game.sampler, contract, self.ledger)

    @property
    def size(self) -> int:
        """Replicates: a whole block where blocks are explored at once, else a few."""
        block = int(self.game.sampler.block_size)
        return block if hasattr(self.learner, "explore_block") else min(_REPLICATES, block)

    @functools.cached_property
    def schedule(self) -> Schedule:
        """What the budget means for the learner."""
        return scheduled(self.learner, self.sampler, self.budget, self.learner.name)

    @property
    def is_refused(self) -> bool:
        """Whether the learner does not take such a budget; whatever else happens, the checks will tell."""
        try:
            with contextlib.suppress(SystemExit):
                assert self.schedule
        except Exception as error:
            return isinstance(error, InputError)
        return False

    @functools.cached_property
    def findings(self) -> list[Any]:
        """Of all units."""
        return self.explore()

    @functools.cached_property
    def decisions(self) -> dict[TieBreaking, list[list[Decision]]]:
        """[replicate][rung] for each tie-breaking."""
        return {tie: self.decide(self.findings, tie) for tie in TieBreaking}

    @property
    def each_replicate(self) -> Iterator[tuple[TieBreaking, list[Decision]]]:
        """The decisions of one replicate after the other, for each tie-breaking."""
        return ((tie, replicate) for tie, found in self.decisions.items() for replicate in found)

    def explore(self, block: int = 0, *, backwards: bool = False, size: int | None = None) -> list[Any]:
        """Findings of all units about a block of replicates, listed by unit."""
        key = block_key(_SEED, self.game.identity, block)
        replicates = self.size if size is None else size
        units = range(self.schedule.units)
        found = {
            unit: explore_block(self.learner, self.sampler, self.schedule, unit, key, replicates)
            for unit in (reversed(units) if backwards else units)
        }
        return [found[unit] for unit in units]

    def decide(self, findings: list[Any], tie: TieBreaking) -> list[list[Decision]]:
        """Decisions [replicate][rung]."""
        found = decide_block(self.learner, self.sampler, self.schedule, findings, tie)
        return [[found.at(row, rung) for rung in range(found.shape[1])] for row in range(found.shape[0])]

    @functools.cached_property
    def drawn(self) -> float:
        """Samples that one pass draws: schedule, exploration of all replicates, both decisions."""
        fresh = Trial(self.learner, self.game, self.contract, self.budget)
        assert fresh.decisions
        return fresh.ledger.drawn

    @property
    def claimed(self) -> int:
        """Samples that the decisions say they rest on, each counted once."""
        ties = list(TieBreaking)[:1] if self.schedule.shared else list(TieBreaking)
        runs = [rungs for tie in ties for rungs in self.decisions[tie]]
        return sum(sum(d.samples for d in (rungs[-1:] if self.schedule.nested else rungs)) for rungs in runs)
