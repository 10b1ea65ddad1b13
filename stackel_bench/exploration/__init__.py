"""Budget -> samples -> estimated follower MDP, per leader action; plain functions and classes."""

from stackel_bench.exploration.explorer import EpisodePlan, Exploration, Explorer, Goal
from stackel_bench.exploration.registry import EXPLORERS, make_explorer

__all__ = ["EXPLORERS", "EpisodePlan", "Exploration", "Explorer", "Goal", "make_explorer"]
