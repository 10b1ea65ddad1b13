"""One learner on one game with one budget, through a closed sampler; whether its decisions can be played."""

import functools
from typing import Any

import numpy as np

from stackel_bench.evaluation.oracle import require_commitment
from stackel_bench.evaluation.verdict import judge
from stackel_bench.families.family import Contract
from stackel_bench.families.oracles import oracle_of
from stackel_bench.learners.blocks import decide_block, explore_block
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decision, require_playable
from stackel_bench.learners.learner import Schedule, block_key, scheduled
from stackel_bench.models import TieBreaking
from stackel_bench.testing.closed_sampler import Ledger, closed
from stackel_bench.testing.report import require
from stackel_bench.tolerances import VALUE

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

    @functools.cached_property
    def findings(self) -> list[Any]:
        """Of all units."""
        return self.explore()

    @functools.cached_property
    def decisions(self) -> dict[TieBreaking, list[list[Decision]]]:
        """[replicate][rung] for each tie-breaking."""
        return {tie: self.decide(self.findings, tie) for tie in TieBreaking}

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


_JUDGED = 3  # replicates; judging is exact and may take a while


def commits(trial: Trial) -> str:
    """Every decision is one of the game's, and the truth can judge it."""
    oracle = oracle_of(trial.game)
    for tie in TieBreaking:
        found = decide_block(trial.learner, trial.sampler, trial.schedule, trial.findings, tie)
        require_playable(found, trial.game.sizes, "decision")
        for position, rungs in enumerate(trial.decisions[tie]):
            for decision in rungs:
                require_commitment(oracle, decision, "decision")
                told = {"estimated_value": decision.estimated_value, **decision.diagnostics}
                strange = [f"{name} {value}" for name, value in told.items() if not np.isfinite(value)]
                require(not strange, ", ".join(strange))
                if position < _JUDGED:
                    verdict = judge(oracle, decision, trial.budget.epsilon)
                    losses = (verdict.value_suboptimality, verdict.follower_suboptimality)
                    require(min(losses) >= -VALUE, f"better than the optimum by {-min(losses)}")
    return "leader and follower can play them, and the truth judges them"


def keeps_to_budget(trial: Trial) -> str:
    """No decision and no draw beyond the schedule."""
    allowed = trial.schedule.samples
    for tie in TieBreaking:
        for rungs in trial.decisions[tie]:
            for decision, most in zip(rungs, allowed, strict=False):
                require(1 <= decision.samples <= most, f"{decision.samples} samples where {most} are allowed")
    runs = trial.size * (1 if trial.schedule.shared else len(TieBreaking))
    most = trial.schedule.drawn_at_most * runs
    require(trial.drawn < most + 0.5, f"draws {trial.drawn:.0f} samples where {most} are allowed")
    return f"{trial.budget.kind}: at most {allowed[-1]} samples"
