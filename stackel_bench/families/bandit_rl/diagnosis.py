"""What only the truth can tell about an exploration: coverage, and the real error of its estimate."""

import dataclasses
from typing import Any

from stackel_bench.families.bandit_rl.exploration.coverage import coverage
from stackel_bench.families.bandit_rl.exploration.uniform_error import reward_error, uniform_error
from stackel_bench.families.bandit_rl.learners import ActionFinding
from stackel_bench.models import FollowerMDP

ENUMERATED_POLICIES = 4096  # beyond that many the upper bound is reported: the diagnosis must stay cheap


def diagnose(model: Any, unit: int, finding: Any, epsilon: float) -> Any:
    """One replicate's finding about a leader action, with what the truth says of each rung added.

    model is the game, or its part for this leader action. Without a truth, or if the learner keeps other
    findings than those of this package, the finding stays as it is.
    """
    mdps = getattr(model, "mdps", None)
    ours = isinstance(finding, list) and all(isinstance(rung, ActionFinding) for rung in finding)
    if not ours:
        return finding
    if mdps is None:  # what exploration rests on is not needed any more, and large
        return [dataclasses.replace(rung, exploration=None) for rung in finding]
    return [_diagnosed(mdps[unit], rung, epsilon) for rung in finding]


def _diagnosed(truth: FollowerMDP, finding: ActionFinding, epsilon: float) -> ActionFinding:
    """The finding with diagnostics in place of the exploration they were computed from."""
    exploration = finding.exploration
    assert exploration is not None
    reached = coverage(truth, exploration, epsilon=epsilon)
    diagnostics = {
        **finding.diagnostics,
        "coverage": reached.ratio,
        "coverage_bound": reached.bound,
        "uniform_error": uniform_error(exploration.model, truth, ENUMERATED_POLICIES),
        "reward_error": reward_error(exploration.model, truth),
    }
    return dataclasses.replace(finding, diagnostics=diagnostics, exploration=None)
