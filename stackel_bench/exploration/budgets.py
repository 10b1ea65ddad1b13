"""Episode plans of explorers with a single phase."""

from __future__ import annotations

from stackel_bench import checks
from stackel_bench.exploration.explorer import EpisodePlan, Shape
from stackel_bench.theory.episodes import runnable_phase, theorem_budget


def single_phase(episodes: int) -> EpisodePlan:
    """All episodes in phase "explore"."""
    return EpisodePlan(
        {"explore": checks.integer("episodes", episodes, least=1, most=checks.MAX_EXACT_COUNT)}
    )


def paper_total(shape: Shape, epsilon: float, delta: float, num_leader_actions: int) -> EpisodePlan:
    """The paper's total per leader action in one phase, for explorers compared with it at equal budget."""
    budget = theorem_budget(shape, epsilon, delta, num_leader_actions)
    return EpisodePlan({"explore": runnable_phase("explore", budget.explore + budget.gather, epsilon)})
