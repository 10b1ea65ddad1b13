"""Explorations of one leader action at growing budgets."""

from __future__ import annotations

from typing import cast

from stackel_bench.errors import InputError
from stackel_bench.exploration.explorer import AnytimeExplorer, EpisodePlan, Exploration, Explorer
from stackel_bench.simulation.episodes import EpisodeSimulator
from stackel_bench.streams import KeyPart


def explore_ladder(
    explorer: Explorer,
    simulator: EpisodeSimulator,
    plans: list[EpisodePlan],
    *,
    epsilon: float,
    delta: float,
    num_leader_actions: int,
    key: tuple[KeyPart, ...],
) -> list[Exploration]:
    """One exploration per plan; totals must not shrink.

    Anytime explorers are photographed along a single run, so rungs share their data. reward_free_explore
    fixes its budget before it starts (N0 enters its bonus, data are gathered last): it runs once per rung,
    each with its own stream key + ("rung", index).
    """
    totals = [plan.total for plan in plans]
    if totals != sorted(totals):
        raise InputError("ladder of episodes", totals, "totals that do not shrink")
    if hasattr(explorer, "explore_rungs"):
        return cast(AnytimeExplorer, explorer).explore_rungs(
            simulator, plans, epsilon=epsilon, delta=delta, num_leader_actions=num_leader_actions, key=key
        )
    return [
        explorer.explore(
            simulator,
            plan,
            epsilon=epsilon,
            delta=delta,
            num_leader_actions=num_leader_actions,
            key=(*key, "rung", rung),
        )
        for rung, plan in enumerate(plans)
    ]
