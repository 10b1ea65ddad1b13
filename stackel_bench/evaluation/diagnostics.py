"""What only the truth can tell about an exploration: coverage, and the real error of its estimate."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from stackel_bench.exploration.coverage import coverage
from stackel_bench.exploration.uniform_error import uniform_error
from stackel_bench.games.bandit_rl import BanditRLGame, LeaderActionModel
from stackel_bench.learners.bandit_rl import ActionFinding
from stackel_bench.models import FollowerMDP

ENUMERATED_POLICIES = 4096  # beyond that many the upper bound is reported: the diagnosis must stay cheap


def is_diagnosed(family: str) -> bool:
    """Whether the truth says something about single explorations of this family."""
    return family in _DIAGNOSES


def diagnosed(game: Any, unit: int, finding: Any, epsilon: float) -> Any:
    """One replicate's finding about a unit, with what the truth says of it added.

    game is the whole game, or what it has of this unit alone; its family is one that is diagnosed.
    """
    return _DIAGNOSES[game.family](game, unit, finding, epsilon)


def _explorations(
    game: BanditRLGame | LeaderActionModel, unit: int, finding: list[ActionFinding], epsilon: float
) -> list[ActionFinding]:
    return [_diagnosed(game.mdps[unit], rung, epsilon) for rung in finding]


def _diagnosed(truth: FollowerMDP, finding: ActionFinding, epsilon: float) -> ActionFinding:
    """The finding with diagnostics in place of the exploration they were computed from."""
    exploration = finding.exploration
    assert exploration is not None
    reached = coverage(truth, exploration, epsilon=epsilon)
    diagnostics = {
        **finding.diagnostics,
        "coverage": reached.ratio,
        "coverage_bound": reached.bound,
        "uniform_error": uniform_error(exploration.model, truth, ENUMERATED_POLICIES).value,
    }
    return dataclasses.replace(finding, diagnostics=diagnostics, exploration=None)


_DIAGNOSES: dict[str, Callable[..., Any]] = {BanditRLGame.family: _explorations}
