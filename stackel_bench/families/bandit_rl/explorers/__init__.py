"""Explorers by name: budget -> episodes -> estimated follower MDP, for one leader action."""

from stackel_bench.families.bandit_rl.explorers.registry import EXPLORERS, make_explorer

__all__ = ["EXPLORERS", "make_explorer"]
