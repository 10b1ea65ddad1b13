"""Episode plans of explorers with a single phase, and which plans may follow each other."""

from __future__ import annotations

from collections.abc import Sequence

from stackel_bench import checks
from stackel_bench.errors import InputError
from stackel_bench.families.bandit_rl.exploration.explorer import EpisodePlan, Goal, Shape
from stackel_bench.families.bandit_rl.theory import theorem_budget


def single_phase(episodes: int) -> EpisodePlan:
    """All episodes in phase "explore"."""
    return EpisodePlan(
        {"explore": checks.integer("episodes", episodes, least=1, most=checks.MAX_EXACT_COUNT)}
    )


def paper_total(shape: Shape, goal: Goal) -> EpisodePlan:
    """The paper's total per leader action in one phase, for explorers compared with it at equal budget."""
    budget = theorem_budget(shape, goal.epsilon, goal.delta, goal.num_leader_actions)
    return EpisodePlan({"explore": budget.explore + budget.gather})


def reject_shrinking(plans: Sequence[EpisodePlan]) -> None:
    """Raise an InputError unless there are plans and no total is smaller than the one before."""
    totals = [plan.total for plan in plans]
    if not totals or totals != sorted(totals):
        raise InputError("ladder of episodes", totals, "at least one total, and totals that do not shrink")
