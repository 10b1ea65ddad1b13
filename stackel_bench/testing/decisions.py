"""Whether decisions can be played, judged, and are paid for."""

from __future__ import annotations

import numpy as np

from stackel_bench.evaluation.oracle import require_commitment
from stackel_bench.evaluation.verdict import judge
from stackel_bench.families.oracles import oracle_of
from stackel_bench.learners.blocks import decide_block
from stackel_bench.learners.decision import require_playable
from stackel_bench.models import TieBreaking
from stackel_bench.testing.report import require
from stackel_bench.testing.trial import Trial
from stackel_bench.tolerances import VALUE

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
