"""What only the truth can tell about an exploration: coverage, and the real error of its estimate."""

from __future__ import annotations

import dataclasses
from typing import Any

from stackel_bench.exploration.coverage import coverage
from stackel_bench.exploration.uniform_error import uniform_error
from stackel_bench.games.bandit_rl import BanditRLGame
from stackel_bench.games.game import Game
from stackel_bench.learners.bandit_rl import ActionFinding

ENUMERATED_POLICIES = 4096  # beyond that many the upper bound is reported: the diagnosis must stay cheap


def diagnosed(game: Game, unit: int, finding: Any, epsilon: float) -> Any:
    """The finding with diagnostics in place of the exploration they were computed from."""
    if not isinstance(game, BanditRLGame):
        return finding
    return [_diagnosed(game, unit, rung, epsilon) for rung in finding]


def _diagnosed(game: BanditRLGame, unit: int, finding: ActionFinding, epsilon: float) -> ActionFinding:
    exploration = finding.exploration
    assert exploration is not None
    truth = game.mdps[unit]
    reached = coverage(truth, exploration, epsilon=epsilon)
    diagnostics = {
        **finding.diagnostics,
        "coverage": reached.ratio,
        "coverage_bound": reached.bound,
        "uniform_error": uniform_error(exploration.model, truth, ENUMERATED_POLICIES).value,
    }
    return dataclasses.replace(finding, diagnostics=diagnostics, exploration=None)
