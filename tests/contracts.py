"""What every learner of every family keeps to, written once; see tests/families/test_contracts.py."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from stackel_bench.evaluation.verdict import judge
from stackel_bench.families.oracles import oracle_of
from stackel_bench.games.game import Game
from stackel_bench.learners.blocks import decide_block, explore_block
from stackel_bench.learners.budget import Budget
from stackel_bench.learners.decision import Decision
from stackel_bench.learners.learner import Learner, Schedule, block_key
from stackel_bench.models import TieBreaking
from stackel_bench.trials.encoding import decode, encode


def fingerprint(value: Any) -> bytes:
    """Equal exactly for equal content."""
    return pickle.dumps(pickle.loads(pickle.dumps(value)))


def explore_all(
    learner: Learner,
    game: Game,
    schedule: Schedule,
    block: int,
    order: list[int] | None = None,
    size: int = 3,
) -> list[Any]:
    """Findings of all units about the first replicates of a block, explored in this order, listed by unit."""
    units = list(range(schedule.units)) if order is None else order
    key, size = block_key(3, game.identity, block), min(size, game.sampler.block_size)
    found = {unit: explore_block(learner, game.sampler, schedule, unit, key, size) for unit in units}
    return [found[unit] for unit in range(schedule.units)]


def decide_all(
    learner: Learner, game: Game, schedule: Schedule, findings: list[Any], tie: TieBreaking
) -> list[list[Decision]]:
    """Decisions [replicate][rung] of the first replicates of a block."""
    found = decide_block(learner, game.sampler, schedule, findings, tie)
    return [[found.at(row, rung) for rung in range(found.shape[1])] for row in range(found.shape[0])]


def check_schedule(schedule: Schedule, budget: Budget) -> None:
    """Budgets grow along the rungs and keep to what was asked for."""
    assert schedule.units >= 1
    assert schedule.theory_samples >= 1
    assert schedule.seconds_per_unit > 0
    assert len(schedule.counts) == len(schedule.samples) >= 1
    assert list(schedule.samples) == sorted(schedule.samples)
    assert len(set(schedule.counts)) == len(schedule.counts)
    if budget.kind == "fixed":
        assert budget.samples is not None
        assert schedule.samples[-1] <= budget.samples
    assert pickle.loads(pickle.dumps(schedule)).counts == schedule.counts


def check_decisions(
    decisions: list[Decision], game: Game, schedule: Schedule, tie_breaking: TieBreaking
) -> None:
    """One decision per rung, each a commitment of the game, paid for within the schedule."""
    assert len(decisions) == len(schedule.samples)
    for decision, samples in zip(decisions, schedule.samples, strict=True):
        assert decision.tie_breaking is tie_breaking
        assert 1 <= decision.samples <= samples
        assert np.isfinite(decision.estimated_value)
        assert all(np.isfinite(value) for value in decision.diagnostics.values())
        if game.family == "simultaneous":
            assert decision.leader_action is None
            assert decision.leader_strategy is not None
            assert decision.leader_strategy.shape == (game.sizes["num_leader_actions"],)
            assert (decision.leader_strategy >= 0).all()
            assert decision.leader_strategy.sum() == 1.0
        else:
            assert decision.leader_strategy is None
            assert type(decision.leader_action) is int
            assert 0 <= decision.leader_action < game.sizes["num_leader_actions"]
        if game.family == "bandit_rl":
            sizes = (game.sizes[n] for n in ("horizon", "num_states", "num_follower_actions"))
            assert isinstance(decision.follower_response, np.ndarray)
            assert decision.follower_response.shape == tuple(sizes)
            np.testing.assert_allclose(decision.follower_response.sum(axis=2), 1, atol=1e-12)
        else:
            assert type(decision.follower_response) is int
            assert 0 <= decision.follower_response < game.sizes["num_follower_actions"]


def check_learner(learner: Learner, game: Game, budget: Budget) -> None:
    """Exploration is a pure function of unit and key; decisions are a pure function of the findings."""
    schedule = learner.schedule(game.sampler, budget)
    check_schedule(schedule, budget)
    findings = explore_all(learner, game, schedule, 0)
    backwards = explore_all(learner, game, schedule, 0, list(reversed(range(schedule.units))))
    assert fingerprint(findings) == fingerprint(backwards)
    assert fingerprint(findings) != fingerprint(explore_all(learner, game, schedule, 1))
    oracle = oracle_of(game)
    one = explore_all(learner, game, schedule, 0, size=1)
    for tie in TieBreaking:
        decided = decide_all(learner, game, schedule, findings, tie)
        alone = decide_all(learner, game, schedule, one, tie)
        assert fingerprint(alone) == fingerprint(decided[:1])  # a partial block has the same numbers
        again = decide_all(learner, game, schedule, decode(encode(findings)), tie)
        assert fingerprint(decided) == fingerprint(again)
        for rungs in decided:
            check_decisions(rungs, game, schedule, tie)
            for decision in rungs:
                verdict = judge(oracle, decision, budget.epsilon)
                assert verdict.value_suboptimality >= -1e-9
                assert verdict.follower_suboptimality >= -1e-9
                assert verdict.guarantee >= budget.epsilon - 1e-9
